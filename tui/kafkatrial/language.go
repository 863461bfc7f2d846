package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"kafkatrial/scenarios"
)

// languages are those of the library's texts.
var languages = []string{"en", "zh"}

// checkLanguage refuses a language in which nothing is written: neither the library, nor a file that is to be opened.
func (a *app) checkLanguage(args []string) error {
	base, _, _ := strings.Cut(a.lang, "-")
	known := slices.Clone(languages)
	if a.lang == "" || slices.Contains(known, base) {
		return nil
	}
	for _, name := range args {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		o, err := scenarios.Open(name)
		if err != nil {
			continue // the command will say what is wrong with it
		}
		for _, part := range o.File.Title.Parts {
			if part.Lang == a.lang || part.Lang == base {
				return nil
			}
			if part.Lang != "" && !slices.Contains(known, part.Lang) {
				known = append(known, part.Lang)
			}
		}
	}
	return fmt.Errorf("--lang %q; the texts are in %s%s", a.lang, strings.Join(known, ", "), didYouMean(a.lang, known))
}
