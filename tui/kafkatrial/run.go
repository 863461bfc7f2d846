package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// runFlags change a run against its file; run and step share them.
type runFlags struct {
	kafka   string
	set     []string
	seed    int
	answers string
	lenient bool
}

func (f *runFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.kafka, "kafka", "", "run under another release of Kafka")
	c.Flags().StringArrayVar(&f.set, "set", nil, "change a setting, KEY=VALUE, wherever the key exists; may be repeated")
	c.Flags().Var(numberOf(&f.seed, 0), "seed", "another seed")
	c.Flags().StringVar(&f.answers, "answers", "", "replay the decisions of an answers file")
	c.Flags().BoolVar(&f.lenient, "lenient", false, "replay what still applies of an answers file, after a change")
}

// prepared is a run that can begin, and begin anew.
type prepared struct {
	name    string // as the command line has it
	opened  *scenarios.Opened
	answers *sim.Answers // nil: not a replay
	opts    scenarios.Options
	flags   *runFlags
	changed []string // the flags that were given, for the command that opens the run
}

// prepare opens a scenario or an answers file and lays the flags over it.
func (a *app) prepare(c *cobra.Command, name string, flags *runFlags) (*prepared, error) {
	o, err := a.open(name)
	if err != nil {
		return nil, err
	}
	p := &prepared{name: name, opened: o, answers: o.Answers, flags: flags}
	answersName := name
	if flags.answers != "" {
		if o.Answers != nil {
			return nil, fmt.Errorf("%s is an answers file already; leave --answers out", name)
		}
		if p.answers, err = a.answersFor(o, flags.answers); err != nil {
			return nil, err
		}
		answersName = flags.answers
		p.changed = append(p.changed, "--answers", flags.answers)
	}
	if p.answers != nil {
		if err := p.follow(answersName); err != nil {
			return nil, err
		}
	}
	if c.Flags().Changed("seed") {
		if flags.seed < 1 || flags.seed > 1<<31-1 {
			return nil, fmt.Errorf("--seed %d; expected a number from 1 to %d", flags.seed, 1<<31-1)
		}
		p.opts.Seed = flags.seed
		p.changed = append(p.changed, "--seed", fmt.Sprint(flags.seed))
	}
	if flags.kafka != "" {
		p.opts.Kafka = flags.kafka
		p.changed = append(p.changed, "--kafka", flags.kafka)
	}
	for _, s := range flags.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--set %q; expected KEY=VALUE, as in --set acks=all", s)
		}
		p.opts.Set = append(p.opts.Set, scenarios.Setting{Key: key, Value: value})
		p.changed = append(p.changed, "--set", s)
	}
	if flags.lenient {
		p.changed = append(p.changed, "--lenient")
	}
	return p, nil
}

// answersFor reads an answers file and checks that it is one of this scenario.
func (a *app) answersFor(o *scenarios.Opened, path string) (*sim.Answers, error) {
	src, err := scenarios.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !sim.IsAnswers(src) {
		return nil, fmt.Errorf("%s is not an answers file: its first line is not %q", path, sim.AnswersFormat)
	}
	ans, err := scenarios.ParseAnswers(path, src)
	if err != nil {
		return nil, err
	}
	of := strings.TrimSuffix(filepath.Base(ans.Get(scenarios.HeaderScenario)), ".yaml")
	if of != o.File.Name.Text && of != strings.TrimSuffix(filepath.Base(o.Path), ".yaml") { // by its name, or by its file
		return nil, fmt.Errorf("%s was recorded from the scenario %q, not from %q; open it by itself: kafkatrial run %s", path, of, o.File.Name.Text, path)
	}
	return ans, nil
}

// follow takes over release, settings and seed from the header of the answers, and checks that they are
// answers to this very scenario.
func (p *prepared) follow(path string) error {
	h := p.answers
	if v := h.Get(scenarios.HeaderModel); v != scenarios.ModelVersion && !p.flags.lenient {
		return fmt.Errorf("%s was recorded with version %s of the model, and this is version %s: the same answers may lead to another run; "+
			"use --lenient to replay what still applies", path, orNone(v), scenarios.ModelVersion)
	}
	kafka := h.Get(scenarios.HeaderKafka)
	if p.flags.kafka != "" && kafka != "" && !scenarios.SameRelease(p.flags.kafka, kafka) && !p.flags.lenient {
		return fmt.Errorf("%s was recorded under Kafka %s, and --kafka asks for %s; use --lenient to replay what still applies", path, kafka, p.flags.kafka)
	}
	if err := p.opts.Follow(p.opened.File, h); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if d := h.Get(scenarios.HeaderDigest); d != "" && !p.flags.lenient {
		r, err := scenarios.New(p.opened.File, scenarios.Options{})
		if err != nil {
			return err
		}
		if now := r.AnswersOf("", p.opened.Source, p.opts).Get(scenarios.HeaderDigest); now != d {
			return fmt.Errorf("%s was recorded from another version of %s: the scenario has changed since; use --lenient to replay what still applies",
				path, p.opened.Path)
		}
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// start makes the run anew; runs of the same prepared are equal.
func (p *prepared) start() (*scenarios.Run, *sim.Replay, error) {
	o := p.opts
	var replay *sim.Replay
	if p.answers != nil {
		replay = &sim.Replay{Answers: p.answers.List, Lenient: p.flags.lenient}
		o.Source = replay
	}
	r, err := scenarios.New(p.opened.File, o)
	if err != nil {
		return nil, nil, err
	}
	if v := p.stated(); v != nil {
		r.File.Claims, r.File.Refused, r.File.Explain = v.Claims, v.Refused, v.Explain // of this run the file says something else
	}
	return r, replay, nil
}

// stated finds the comparison in the file that makes the same changes as the command line, nil if there is
// none: its verdicts are then what the file states of the run.
func (p *prepared) stated() *format.Variant {
	if p.opts.Kafka == "" && len(p.opts.Set) == 0 {
		return nil
	}
	for i := range p.opened.File.Compare {
		v := &p.opened.File.Compare[i]
		if v.Metadata != "" || len(v.Features) > 0 || v.Loop != nil || v.Loops != nil || v.HandOff != nil || v.OnError != "" || v.OnAbort != "" || v.OnUnknown != "" || v.GroupMetadata != nil || v.OrderBy != "" || v.Seed != nil || v.InSomeRuns != nil {
			continue
		}
		same := scenarios.SameRelease(v.Kafka.Text, p.opts.Kafka) && len(v.Set) == len(p.opts.Set)
		for _, s := range p.opts.Set {
			value, ok := v.Set.Get(s.Key)
			same = same && ok && value == s.Value
		}
		if same {
			return v
		}
	}
	return nil
}

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	var out output
	c := &cobra.Command{Use: "run NAME|FILE", Short: "Run a scenario and tell what happens",
		Long: `Runs a scenario, or replays an answers file, and tells every step in words. The run ends with the verdicts.

The exit status is 0 if the verdicts are as the file states, 1 if not, 2 for bad input, 3 if the run is undecided, and 4 if a
defect of the model ended it.`,
		Args: one("the name of a scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("--format", out.format, "text", "json"); err != nil {
				return err
			}
			p, err := a.prepare(c, args[0], &flags)
			if err != nil {
				return err
			}
			return a.run(p, out)
		}}
	flags.add(c)
	c.Flags().StringVar(&out.format, "format", "text", "text or json")
	c.Flags().StringVar(&out.save, "save-answers", "", "write the run's decisions to a file, from which it can be replayed")
	c.Flags().BoolVar(&out.all, "all", false, "show routine steps and internal topics too")
	return c
}

// output says what of a run is written, and how.
type output struct {
	format string // text or json
	save   string // path of the answers file to write, "" for none
	all    bool   // routine steps too
	from   int    // the first step to tell, from 1
}

func (a *app) run(p *prepared, out output) error {
	r, replay, err := p.start()
	if refusal, differs := scenarios.RefusedAs(p.statedRefusal(), err); refusal != nil {
		return a.refused(p, out, refusal, differs)
	}
	if err != nil {
		return err
	}
	linear := a.linear && out.format != "json"
	tale := story.New(r, story.Options{Lang: a.lang, Internal: out.all, Flights: linear})
	for r.Step() {
		if linear {
			tale.Observe()
		}
	}
	tale.Observe()
	if p.opened.File.Refused == nil && (len(p.changed) > 0 || p.answers != nil) { // what does not start has no run of its own
		own, err := story.Own(p.opened.File, story.Options{Lang: a.lang, Internal: out.all})
		if err != nil {
			return err
		}
		tale.WrittenFor(own)
	}
	if err := p.replayed(a, r, replay); err != nil {
		return err
	}
	if out.save != "" {
		if err := p.save(r, out.save); err != nil {
			return err
		}
	}
	end, err := p.ending(tale)
	if err != nil {
		return err
	}
	look := a.look()
	look.All, look.From = out.all, out.from
	switch {
	case out.format == "json":
		err = a.json(end.JSON())
	case linear:
		err = end.Linear(a.out, look)
	default:
		err = end.Text(a.out, look)
	}
	if err != nil {
		return err
	}
	if status := statusOf(end); status != exitAsStated {
		return exitStatus(status)
	}
	return nil
}

// statusOf is the exit status of a run that was told.
func statusOf(end *story.Ending) int {
	switch {
	case end.Defective():
		return exitDefect
	case end.Undecided():
		return exitUndecided
	case !end.AsStated():
		return exitDiffers
	}
	return exitAsStated
}

// statedRefusal is who is stated to refuse to start, in the file or in its comparison that the command line makes.
func (p *prepared) statedRefusal() *format.Refused {
	if v := p.stated(); v != nil {
		return v.Refused
	}
	return p.opened.File.Refused
}

// refused tells of a scenario of which there is no run, since Kafka refuses its settings and the file states that.
func (a *app) refused(p *prepared, out output, r *scenarios.Refusal, differs []string) error {
	if out.save != "" {
		return fmt.Errorf("--save-answers %s: there is no run to save: %s", out.save, r.Sentence())
	}
	var err error
	if f := p.opened.File; out.format == "json" {
		err = a.json(story.RefusedJSON(f, a.lang, r.Sentence(), differs))
	} else {
		said := "as stated in the file: yes"
		if len(differs) > 0 {
			said = "as stated in the file: no (" + strings.Join(differs, "; ") + ")"
		}
		for _, text := range []string{f.Name.Text + ", Kafka " + f.Kafka.Text, f.Title.In(a.lang), "There is no run: " + r.Sentence(), said} {
			for _, line := range story.Wrap(text, a.look().Width) {
				fmt.Fprintln(a.out, line)
			}
		}
	}
	if err == nil && len(differs) > 0 {
		return exitStatus(exitDiffers)
	}
	return err
}

// replayed checks that a replay has led to the run that was recorded.
func (p *prepared) replayed(a *app, r *scenarios.Run, replay *sim.Replay) error {
	if r.Err() != nil {
		return r.Err()
	}
	if replay == nil {
		return nil
	}
	left := replay.Unused()
	if p.flags.lenient {
		if len(left) > 0 {
			fmt.Fprintf(a.err, "kafkatrial: %d of %d answers no longer apply\n", len(left), len(p.answers.List))
		}
		return nil
	}
	if len(left) > 0 {
		return fmt.Errorf("the run ended at step %d, before the answer recorded at step %d (%s)", r.World.Steps(), left[0].Step, left[0].ID)
	}
	if p.answers.Steps > 0 && (p.answers.Steps != r.World.Steps() || p.answers.Hash != r.World.Hash()) {
		return fmt.Errorf("the run differs from its record: %d steps and hash %016x, recorded were %d steps and hash %016x. The program has changed since; "+
			"use --lenient to replay what still applies", r.World.Steps(), r.World.Hash(), p.answers.Steps, p.answers.Hash)
	}
	return nil
}

// save writes the answers file of a run.
func (p *prepared) save(r *scenarios.Run, path string) error {
	return os.WriteFile(path, []byte(p.opened.Record(path, r, p.opts).Text()), 0o644)
}

// ending rules on a run that has ended.
func (p *prepared) ending(tale *story.Story) (*story.Ending, error) {
	var replay []sim.Answer
	if p.answers != nil {
		replay = p.answers.List
	}
	return tale.Ending(p.name, p.changed, replay)
}
