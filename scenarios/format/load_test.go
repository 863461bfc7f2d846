package format

import (
	"os"
	"path/filepath"
	"testing"
)

func goodFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("sample files: %v, %v", files, err)
	}
	return files
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestGoodFilesLoad(t *testing.T) {
	for _, file := range goodFiles(t) {
		f, problems := Load(filepath.Base(file), read(t, file), nil)
		for _, p := range problems {
			t.Error(p.Excerpt(read(t, file)))
		}
		if f != nil && f.Name.Text+".yaml" != filepath.Base(file) {
			t.Errorf("%s: name is %s", file, f.Name)
		}
	}
}
