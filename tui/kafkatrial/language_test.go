package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkatrial/scenarios"
)

// The languages that --lang takes are those of the library's titles.
func TestLanguagesAreThoseOfTheLibrary(t *testing.T) {
	var found []string
	for _, name := range scenarios.Names() {
		o, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range o.File.Title.Parts {
			if part.Lang != "" && !slices.Contains(found, part.Lang) {
				found = append(found, part.Lang)
			}
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, languages) {
		t.Errorf("the titles are in %v, --lang takes %v", found, languages)
	}
}

// A file may have a language that the library has not.
func TestLanguageOfAFile(t *testing.T) {
	src, ok := scenarios.Source("calm")
	if !ok {
		t.Fatal("there is no scenario calm")
	}
	file := filepath.Join(t.TempDir(), "ruhig.yaml")
	at := strings.Index(string(src), "\ntitle:")
	end := at + 1 + strings.Index(string(src)[at+1:], "\nsource:")
	if at < 0 || end <= at {
		t.Fatalf("calm is not as this test knows it:\n%.300s", src)
	}
	text := string(src)[:at] + "\ntitle: {en: All is calm, de: Alles ist ruhig}" + string(src)[end:]
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scenarios.Open(file); err != nil {
		t.Fatal(err)
	}
	for lang, known := range map[string]bool{"de": true, "de-AT": true, "en": true, "fr": false} {
		a := app{lang: lang}
		if err := a.checkLanguage([]string{file}); (err == nil) != known {
			t.Errorf("--lang %s: %v", lang, err)
		}
	}
	a := app{lang: "de"}
	if a.checkLanguage([]string{"calm"}) == nil {
		t.Error("calm is not written in de, and de is taken")
	}
}
