package scenarios

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

//go:embed library/*.yaml
var library embed.FS

// Names lists the embedded scenarios in order.
func Names() []string {
	var names []string
	files, _ := fs.Glob(library, "library/*.yaml")
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// Source gives the text of an embedded scenario; ok is false if there is none of that name.
func Source(name string) (src []byte, ok bool) {
	src, err := library.ReadFile("library/" + name + ".yaml")
	return src, err == nil
}

// Problems is a list of what is wrong with a file, as an error.
type Problems []format.Problem

func (p Problems) Error() string {
	var lines []string
	for _, one := range p {
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// Opened is what a name or a path led to: a scenario, and, if it was an answers file, the answers.
type Opened struct {
	File    *format.File
	Path    string // as problems name it
	Source  []byte
	Answers *sim.Answers // nil for a scenario
	// Base is the file that the narration was written for, if File is one of its comparisons; else nil.
	Base *format.File
}

// Open finds a scenario by its name or by a path, or an answers file by its path together with the scenario
// it is a run of. The error is Problems for a file that does not load.
func Open(nameOrPath string) (*Opened, error) {
	src, ok := Source(nameOrPath)
	name := nameOrPath + ".yaml"
	if !ok {
		read, err := ReadFile(nameOrPath)
		if err != nil {
			if looksLikeName(nameOrPath) && !exists(nameOrPath) {
				if near := nearest(nameOrPath); len(near) > 0 {
					return nil, fmt.Errorf("there is no scenario %q and no such file; did you mean %s?", nameOrPath, strings.Join(near, " or "))
				}
				return nil, fmt.Errorf("there is no scenario %q and no such file; kafkatrial list shows all scenarios", nameOrPath)
			}
			return nil, err
		}
		src, name = read, nameOrPath
	}
	if sim.IsAnswers(src) {
		return openAnswers(name, src)
	}
	if strings.HasSuffix(name, ".answers") {
		return nil, fmt.Errorf("%s:1: this is no answers file; expected the first line %q", name, sim.AnswersFormat)
	}
	f, problems := format.Load(name, src, Vocabulary)
	if f == nil || len(problems) > 0 {
		return nil, Problems(problems)
	}
	return &Opened{File: f, Path: name, Source: src}, nil
}

// nearest lists, in quotes, the scenarios that a word may stand for, at most three: the one that is spelt almost alike, or
// else those that begin with it, or hold it; hyphens and capitals do not count.
func nearest(word string) []string {
	if near := format.Nearest(word, Names()); near != "" {
		return []string{strconv.Quote(near)}
	}
	squeeze := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	var begin, hold []string
	short := squeeze(word)
	for _, name := range Names() {
		switch s := squeeze(name); {
		case len(short) < 3:
		case strings.HasPrefix(s, short):
			begin = append(begin, strconv.Quote(name))
		case strings.Contains(s, short):
			hold = append(hold, strconv.Quote(name))
		}
	}
	all := append(begin, hold...)
	return all[:min(len(all), 3)]
}

func looksLikeName(s string) bool { return !strings.ContainsAny(s, "/\\.") }

// ParseAnswers reads an answers file and checks its header: a line of it that nobody knows, or one that is
// there twice, is refused rather than passed over.
func ParseAnswers(name string, src []byte) (*sim.Answers, error) {
	a, err := sim.ParseAnswers(name, src)
	if err != nil {
		return nil, err
	}
	known := []string{HeaderScenario, HeaderDigest, HeaderModel, HeaderKafka, HeaderSet, HeaderSeed, HeaderFaults}
	for i, f := range a.Header {
		if !slices.Contains(known, f.Key) {
			hint := "expected one of " + strings.Join(known, ", ")
			if near := format.Nearest(f.Key, known); near != "" {
				hint += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("%s: the header has a line %q; %s", name, f.Key, hint)
		}
		if f.Key != HeaderSet && slices.ContainsFunc(a.Header[:i], func(o sim.Field) bool { return o.Key == f.Key }) {
			return nil, fmt.Errorf("%s: the header has the line %q twice", name, f.Key)
		}
	}
	return a, nil
}

// openAnswers opens an answers file and the scenario that its header names: an embedded one, or a file
// beside it.
func openAnswers(name string, src []byte) (*Opened, error) {
	a, err := ParseAnswers(name, src)
	if err != nil {
		return nil, err
	}
	scenario := a.Get(HeaderScenario)
	if scenario == "" {
		return nil, fmt.Errorf("%s: the header has no line \"%s: <name or file>\"", name, HeaderScenario)
	}
	where := scenario
	if _, embedded := Source(scenario); !embedded && !path.IsAbs(scenario) {
		if beside := path.Join(path.Dir(name), scenario); exists(beside) {
			where = beside
		}
	}
	// Looked at before it is opened: a file that names itself, or two that name each other, would be opened for ever.
	if _, embedded := Source(where); !embedded {
		if read, err := ReadFile(where); err == nil && sim.IsAnswers(read) {
			return nil, fmt.Errorf("%s: its header names an answers file, %q, where a scenario is expected", name, scenario)
		}
	}
	o, err := Open(where)
	if err != nil {
		return nil, fmt.Errorf("%s: the scenario it was recorded from: %w", name, err)
	}
	o.Answers = a
	return o, nil
}

// MaxFileBytes is the most that is read of a file: far above any scenario or record of a run, and far below what
// a machine has, so that a device without an end, such as /dev/zero, is refused.
const MaxFileBytes = 64 << 20

// ReadFile reads a file of at most MaxFileBytes.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err == nil && len(src) > MaxFileBytes {
		err = fmt.Errorf("%s has more than %d bytes; expected a scenario or an answers file", name, MaxFileBytes)
	}
	return src, err
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

// Keys of an answers file's header.
const (
	HeaderScenario = "scenario"
	HeaderDigest   = "scenario-digest" // of the scenario file, so that a changed one is noticed
	HeaderKafka    = "kafka"
	HeaderSet      = "set" // KEY=VALUE, one line each
	HeaderSeed     = "seed"
	HeaderFaults   = "faults" // which faults could strike, as sim.ParseFaultModel reads it
	HeaderModel    = "model"
)

// ModelVersion is the version of the model's behaviour: it changes when the same answers may lead to
// another run.
const ModelVersion = "2"
