package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Answer is one decision that was not answered calmly.
type Answer struct {
	Step   int // steps taken before it
	Kind   Kind
	ID     string // the option chosen
	Before string // the calm option that it replaced: the anchor by which a changed run finds its place
	Index  int    // its place among the options, and how many there were: strict replay checks both
	Of     int
}

// Answers is the identity of a run: what it was a run of, and every answer that was not calm.
type Answers struct {
	Header []Field // scenario, its hash, version, settings; in order
	List   []Answer
	Hash   uint64 // the run's final hash
	Steps  int    // the run's length; 0 while the run has not ended, and then its text can not be read back
}

// Field is a line of the header.
type Field struct{ Key, Value string }

// Get finds a header field.
func (a *Answers) Get(key string) string {
	for _, f := range a.Header {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// AnswersFormat is the first line of an answers file.
const AnswersFormat = "kafkatrial answers 1"

// Text writes the answers as a file: a header, then a line an answer.
func (a *Answers) Text() string {
	var b strings.Builder
	b.WriteString(AnswersFormat + "\n")
	for _, f := range a.Header {
		fmt.Fprintf(&b, "%s: %s\n", f.Key, strings.ReplaceAll(f.Value, "\n", " "))
	}
	b.WriteString("answers:\n")
	for _, x := range a.List {
		fmt.Fprintf(&b, "%d %s %s | before %s | %d/%d\n", x.Step, x.Kind, x.ID, x.Before, x.Index, x.Of)
	}
	if a.Steps > 0 {
		fmt.Fprintf(&b, "end: %d steps, hash %016x\n", a.Steps, a.Hash)
	}
	return b.String()
}

// IsAnswers says whether a file looks like an answers file.
func IsAnswers(src []byte) bool {
	return bytes.HasPrefix(withoutMark(src), []byte("kafkatrial answers "))
}

// withoutMark leaves out the byte order mark that some editors put before a text.
func withoutMark(src []byte) []byte { return bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) }

// ParseAnswers reads an answers file. Blank lines and lines that begin with # are comments. An error
// names the line and what was expected. A file without its last line is refused: it was cut off, and with its answers
// the run would be another one.
func ParseAnswers(name string, src []byte) (*Answers, error) {
	a := &Answers{}
	sc := bufio.NewScanner(bytes.NewReader(withoutMark(src)))
	sc.Buffer(nil, 1<<20)
	line, inList := 0, false
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	for sc.Scan() {
		line++
		text := strings.TrimRight(sc.Text(), " \r")
		switch {
		case line == 1:
			if text != AnswersFormat {
				return nil, fail("not an answers file of this version: the first line is %q, expected %q", text, AnswersFormat)
			}
		case text == "" || strings.HasPrefix(text, "#"):
		case a.Steps > 0:
			return nil, fail("nothing may follow the line \"end: …\", found %q", text)
		case text == "answers:":
			inList = true
		case text == "end:" || strings.HasPrefix(text, "end: "):
			if _, err := fmt.Sscanf(text, "end: %d steps, hash %x", &a.Steps, &a.Hash); err != nil || a.Steps < 1 {
				return nil, fail("expected %s", wantEnd)
			}
		case !inList:
			k, v, ok := strings.Cut(text, ": ")
			if !ok {
				return nil, fail("expected \"key: value\" or \"answers:\", found %q", text)
			}
			a.Header = append(a.Header, Field{k, v})
		default:
			x, err := parseAnswer(text)
			if err != nil {
				return nil, fail("%v", err)
			}
			a.List = append(a.List, x)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fail("%v", err)
	}
	if line == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty; expected %q", name, AnswersFormat)
	}
	if !inList {
		return nil, fail("the file ends before its line \"answers:\"")
	}
	if a.Steps == 0 {
		return nil, fail("the file has no last line; expected %s. It was cut off, or is not complete", wantEnd)
	}
	return a, nil
}

const wantEnd = `"end: <n> steps, hash <16 hex digits>"`

func parseAnswer(text string) (Answer, error) {
	want := fmt.Errorf("expected \"<step> <kind> <option> | before <option> | <index>/<options>\", found %q", text)
	parts := strings.Split(text, " | ")
	if len(parts) != 3 || !strings.HasPrefix(parts[1], "before ") {
		return Answer{}, want
	}
	head := strings.SplitN(parts[0], " ", 3)
	if len(head) != 3 {
		return Answer{}, want
	}
	step, err1 := strconv.Atoi(head[0])
	idx, of, ok := strings.Cut(parts[2], "/")
	index, err2 := strconv.Atoi(idx)
	count, err3 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || err3 != nil || !ok || step < 0 || index < 1 || count <= index {
		return Answer{}, want
	}
	for k, name := range kindNames {
		if name == head[1] {
			return Answer{step, Kind(k), head[2], strings.TrimPrefix(parts[1], "before "), index, count}, nil
		}
	}
	return Answer{}, fmt.Errorf("unknown kind of decision %q; the kinds are %s", head[1], strings.Join(kindNames[:], ", "))
}

// Record passes decisions on and writes down the answers that were not calm.
type Record struct {
	Inner Source
	List  []Answer
}

// Choose asks the inner source.
func (r *Record) Choose(p Point) (int, error) {
	i, err := r.Inner.Choose(p)
	if err == nil && i != 0 {
		r.List = append(r.List, Answer{p.Step, p.Kind, p.ID(i), p.ID(0), i, len(p.Options)})
	}
	return i, err
}

// Replay gives recorded answers again and is calm elsewhere. A strict replay insists that every answer
// finds the very decision it was recorded at; a lenient one finds it by name, wherever it now is, and
// passes over an answer that is no longer possible.
type Replay struct {
	Answers []Answer
	Lenient bool
	// ByName lets a strict replay find the option by its name alone, not by its place and not by how many
	// options there are: for a run with more decisions than the one that was recorded.
	ByName bool
	next   int
	used   []bool
}

// Mismatch says where a strict replay left the recorded run.
type Mismatch struct {
	Step            int
	Expected, Found string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the run differs from its record at step %d: expected %s, found %s. Usual causes: the scenario, its settings or the "+
		"program changed since the record was made; use --lenient to replay what still applies", m.Step, m.Expected, m.Found)
}

// Choose finds the recorded answer for p.
func (r *Replay) Choose(p Point) (int, error) {
	if r.Lenient {
		return r.lenient(p), nil
	}
	if r.next >= len(r.Answers) {
		return 0, nil
	}
	a := &r.Answers[r.next]
	if p.Step < a.Step || p.Step == a.Step && (p.Kind != a.Kind || p.ID(0) != a.Before) {
		return 0, nil
	}
	expected := fmt.Sprintf("%s (before %s)", a.ID, a.Before)
	if p.Step > a.Step {
		return 0, &Mismatch{a.Step, expected, "no such decision"}
	}
	if r.ByName {
		for i := 1; i < len(p.Options); i++ {
			if p.ID(i) == a.ID {
				r.next++
				return i, nil
			}
		}
		return 0, &Mismatch{a.Step, expected, "no such option"}
	}
	if a.Of != len(p.Options) {
		return 0, &Mismatch{a.Step, fmt.Sprintf("%s among %d options", expected, a.Of), fmt.Sprintf("%d options", len(p.Options))}
	}
	if id := p.ID(a.Index); id != a.ID {
		return 0, &Mismatch{a.Step, expected, id}
	}
	r.next++
	return a.Index, nil
}

// Unused lists the answers that found no decision.
func (r *Replay) Unused() []Answer {
	if !r.Lenient {
		return r.Answers[r.next:]
	}
	var left []Answer
	for i, a := range r.Answers {
		if i >= len(r.used) || !r.used[i] {
			left = append(left, a)
		}
	}
	return left
}

func (r *Replay) lenient(p Point) int {
	if r.used == nil {
		r.used = make([]bool, len(r.Answers))
	}
	calm := ""
	for i := range r.Answers {
		a := &r.Answers[i]
		if r.used[i] || a.Kind != p.Kind {
			continue
		}
		if calm == "" {
			calm = p.ID(0)
		}
		if a.Before != calm {
			continue
		}
		for o := 1; o < len(p.Options); o++ {
			if p.ID(o) == a.ID {
				r.used[i] = true
				return o
			}
		}
	}
	return 0
}

// Prefix follows recorded answers for as many steps as given, then lets another source decide.
type Prefix struct {
	Replay Replay
	Steps  int
	Then   Source
}

// Choose asks the record first.
func (s *Prefix) Choose(p Point) (int, error) {
	if p.Step < s.Steps {
		return s.Replay.Choose(p)
	}
	return s.Then.Choose(p)
}
