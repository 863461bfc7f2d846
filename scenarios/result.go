package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/release"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Result is what a run came to.
type Result struct {
	Scenario string
	Kafka    string
	Seed     int
	Steps    int
	Hash     uint64
	Report   checker.Report
	// Broken lists the invariants that a step broke, with the step: with Options.Invariants only.
	Broken []string
	// Undecided says why the run as a whole is undecided, "" if it is not: the script ended early, the run
	// did not come to rest, or the source ended it.
	Undecided string
	// Defect is the assertion of the model that ended the run, nil if none did.
	Defect *Defect
	// Differs lists the stated verdicts that the run did not come to; empty means as stated.
	Differs []string
	Stated  int // how many verdicts the file states
}

// Result rules on a run that has ended.
func (r *Run) Result() Result {
	res := Result{Scenario: r.File.Name.Text, Kafka: r.Version().String(), Seed: r.Seed, Steps: r.World.Steps(), Hash: r.World.Hash(), Report: r.Report(), Defect: r.defect}
	for _, b := range r.broken {
		if b.Assertion {
			continue // Undecided says it
		}
		res.Broken = append(res.Broken, fmt.Sprintf("%s, step %d: %s", b.Invariant, b.Step, b.Sentence))
	}
	if r.File.Refused != nil {
		res.Stated++
		res.Differs = append(res.Differs, fmt.Sprintf("%s is stated to refuse to start; it starts", r.File.Refused.By))
	}
	for _, claim := range r.File.Claims {
		for _, s := range claim.Stated {
			res.Stated++
			found := res.found(claim, s)
			if found != string(s.Verdict) {
				res.Differs = append(res.Differs, fmt.Sprintf("%s %sis stated as %s; the run says %s", claim.Name.Text, levelWords(s.Level), s.Verdict, found))
			}
		}
	}
	switch {
	case r.failure != nil:
		res.Undecided = r.failure.Error()
	case r.stopped != "":
		res.Undecided = r.stopped
	case !r.rested && !r.statesThat(&res):
		res.Undecided = "the run did not come to rest within " + r.File.End.Within.Text + "; still moving: " + join(r.moving)
	}
	return res
}

// statesThat says that the file states a run which is not available, and that this is one: its time was up before it came to
// rest, with something left undone. Then that is a verdict, and the run is not undecided for it.
func (r *Run) statesThat(res *Result) bool {
	for _, claim := range r.File.Claims {
		row, _ := checker.RowOf(checker.Claim(claim.Name.Text))
		for _, s := range claim.Stated {
			if r.timeUp && row.Due && s.Verdict == format.Violated && res.found(claim, s) == string(checker.Violated) {
				return true
			}
		}
	}
	return false
}

// found is what the run says of what a file states.
func (res *Result) found(claim format.Claim, s format.Stated) string {
	level := checker.AtLog
	if s.Level == format.AtApp {
		level = checker.AtApplication
	}
	return res.ruling(checker.Claim(claim.Name.Text), level, s.Level == "")
}

func levelWords(l format.Level) string {
	switch l {
	case format.AtLog:
		return "at the log "
	case format.AtApp:
		return "at the application "
	}
	return ""
}

// ruling finds the verdict on a claim at a level, or over all its levels.
func (res *Result) ruling(c checker.Claim, l checker.Level, overall bool) string {
	if overall {
		if v, ok := res.Report.Overall(c); ok {
			return string(v)
		}
		return "not judged"
	}
	if v, ok := res.Report.Find(c, l); ok {
		if v.NotObserved {
			return "not observed"
		}
		return string(v.Ruling)
	}
	return "not judged"
}

func join(all []string) string {
	s := ""
	for i, one := range all {
		if i > 0 {
			s += ", "
		}
		s += one
	}
	return s
}

// AsStated says that every verdict the file states is what the run came to.
func (res *Result) AsStated() bool { return len(res.Differs) == 0 && res.Undecided == "" }

// Follow takes over what the header of an answers file says a run was: release, settings, seed, and the
// faults that could strike. Only with these do the answers fit. The file's own release needs no option.
func (o *Options) Follow(f *format.File, a *sim.Answers) error {
	if kafka := a.Get(HeaderKafka); kafka != "" && !SameRelease(kafka, f.Kafka.Text) {
		o.Kafka = kafka
	}
	for _, h := range a.Header {
		if h.Key == HeaderSet {
			key, value, _ := strings.Cut(h.Value, "=")
			o.Set = append(o.Set, Setting{Key: key, Value: value})
		}
	}
	if s := a.Get(HeaderSeed); s != "" {
		seed, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("the seed in the header is %q; expected a number", s)
		}
		o.Seed = seed
	}
	var err error
	o.FaultModel, err = sim.ParseFaultModel(a.Get(HeaderFaults))
	return err
}

// AnswersOf writes the identity of a run: its header and its answers.
func (r *Run) AnswersOf(source string, src []byte, o Options) *sim.Answers {
	a := &sim.Answers{List: r.record.List, Hash: r.World.Hash(), Steps: r.World.Steps()}
	a.Header = append(a.Header, sim.Field{Key: HeaderScenario, Value: source}, sim.Field{Key: HeaderDigest, Value: digest(src)},
		sim.Field{Key: HeaderModel, Value: ModelVersion}, sim.Field{Key: HeaderKafka, Value: r.Version().String()})
	for _, s := range o.Set {
		a.Header = append(a.Header, sim.Field{Key: HeaderSet, Value: s.Key + "=" + s.Value})
	}
	a.Header = append(a.Header, sim.Field{Key: HeaderSeed, Value: strconv.Itoa(r.Seed)})
	if faults := o.FaultModel.String(); faults != "" {
		a.Header = append(a.Header, sim.Field{Key: HeaderFaults, Value: faults})
	}
	return a
}

func digest(src []byte) string {
	h := uint64(0xcbf29ce484222325)
	for _, c := range src {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return fmt.Sprintf("%016x", h)
}

// Release gives the release that a file's text names, with its patch level: 2.8 is 2.8.2. What names none stays as it is.
func Release(text string) string {
	if v, err := release.Parse(text); err == nil {
		return v.String()
	}
	return text
}

// SameRelease says that two texts name one release: 2.8 and 2.8.2 do.
func SameRelease(a, b string) bool { return Release(a) == Release(b) }

// Version is the run's Kafka.
func (r *Run) Version() release.Version { return r.Cluster.Spec.Version }
