package scenarios

import (
	"bytes"
	"path/filepath"

	"kafkatrial/sim"
)

// Record gives the answers file of a run of this scenario, to be written to a path. An embedded scenario is
// named; one that is a file is named by its path from there.
func (o *Opened) Record(path string, r *Run, opts Options) *sim.Answers {
	source := o.File.Name.Text
	if embedded, ok := Source(source); !ok || !bytes.Equal(embedded, o.Source) {
		source = o.Path
		abs, err1 := filepath.Abs(source)
		dir, err2 := filepath.Abs(filepath.Dir(path))
		if err1 == nil && err2 == nil {
			if rel, err := filepath.Rel(dir, abs); err == nil {
				source = filepath.ToSlash(rel)
			}
		}
	}
	return r.AnswersOf(source, o.Source, opts)
}
