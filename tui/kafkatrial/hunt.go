package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"kafkatrial/checker"
	"kafkatrial/checker/columns"
	"kafkatrial/model/release"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/explore"
	"kafkatrial/scenarios/hunt"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

type huntFlags struct {
	runs       int
	seed       uint64
	first      int
	budget     int
	claims     []string
	invariants []string
	unless     []string
	until      string
	jobs       int
	shard      string
	format     string
	faults     string
	save       string
	kafka      string
	set        []string
}

func (a *app) huntCommand() *cobra.Command {
	var flags huntFlags
	c := &cobra.Command{Use: "hunt NAME|FILE|DIR", Short: "Look for failures in many runs with random faults",
		Long: `Makes many runs of a scenario, or of every scenario in a directory. In each run messages are late, lost or
doubled, links are cut, processes pause, die and return, machines lose power, and leaders are elected anew, all
drawn from a seed. Which of these may happen in a run at all is drawn first, so that runs differ in kind.

For every claim the lowest run that broke it is shrunk and saved as an answers file, which "kafkatrial step"
opens. The same seed gives the same runs and the same report on every machine and with any number of jobs.
An interrupt ends the hunt and keeps what was found; what has not been shrunk by then is saved as it is, and
"kafkatrial shrink" makes it short. A second interrupt ends the command.

The exit status is 0 if no claim was broken, 1 if one was, 2 for bad input, and 3 if no claim was broken but
some runs could not be decided, or nothing struck in any.`,
		Args: one("the name of a scenario, or a directory of scenario files"),
		RunE: func(_ *cobra.Command, args []string) error { return a.hunt(args[0], &flags) }}
	f := c.Flags()
	f.Var(numberOf(&flags.runs, 1000), "runs", "how many runs, over all shards")
	f.Var(numberOf(&flags.seed, 1), "seed", "seed of the hunt")
	f.Var(numberOf(&flags.first, 0), "first", "number of the first run: --first 417 --runs 1 makes run 417 again")
	f.Var(numberOf(&flags.budget, hunt.DefaultBudget), "budget", "how many faults may strike in a run, at most")
	f.StringArrayVar(&flags.claims, "claim", nil, fmt.Sprintf("a claim that must not be broken; may be repeated (default: %s; with transactions also %s)",
		lookedFor(checker.Always), lookedFor(checker.WithTransactions)))
	f.StringArrayVar(&flags.invariants, "invariant", nil, `an invariant that no step may break, such as "`+checker.LogMatching+`"; may be repeated`)
	f.StringArrayVar(&flags.unless, "unless", nil, "count only what a rule would mend, such as kip-101; may be repeated")
	f.StringVar(&flags.until, "until", "", `"violation" ends the hunt at the first run that breaks a claim`)
	f.Var(numberOf(&flags.jobs, runtime.NumCPU()), "jobs", "how many runs are made at the same time")
	f.StringVar(&flags.shard, "shard", "", "make only every n-th run: 2/8 is the second of eight shards; merge puts their reports together")
	f.StringVar(&flags.format, "format", "text", "text or json")
	f.StringVar(&flags.faults, "faults", "", "what may strike, as in the header of an answers file (default: "+hunt.Everything.String()+"; see docs/hunting.md for transactions)")
	f.StringVar(&flags.save, "save", "found", "directory for the answers files of what is found")
	f.StringVar(&flags.kafka, "kafka", "", "run under another release of Kafka")
	f.StringArrayVar(&flags.set, "set", nil, "change a setting, KEY=VALUE, wherever the key exists; may be repeated")
	return c
}

// lookedFor names the claims that a hunt looks for unasked.
func lookedFor(when checker.Looked) string {
	return strings.Join(claimsThat(func(r checker.Row) bool { return r.Looked == when }), ", ")
}

// options reads the flags.
func (f *huntFlags) options() (o hunt.Options, err error) {
	o = hunt.Options{Runs: f.runs, Seed: f.seed, First: f.first, Budget: f.budget, Jobs: f.jobs}
	switch {
	case f.runs < 1:
		return o, fmt.Errorf("--runs %d; expected a number from 1", f.runs)
	case f.first < 0:
		return o, fmt.Errorf("--first %d; expected a number from 0", f.first)
	case f.budget < 1:
		return o, fmt.Errorf("--budget %d; expected a number from 1", f.budget)
	case f.jobs < 1:
		return o, fmt.Errorf("--jobs %d; expected a number from 1", f.jobs)
	case f.until != "" && f.until != "violation":
		return o, fmt.Errorf("--until %q; expected violation%s", f.until, didYouMean(f.until, []string{"violation"}))
	}
	o.Until = f.until != ""
	if err := oneOf("--format", f.format, "text", "json"); err != nil {
		return o, err
	}
	for _, name := range f.claims {
		claim, err := claimNamed(name)
		if err != nil {
			return o, err
		}
		o.Claims = append(o.Claims, claim)
	}
	for _, name := range f.invariants {
		if !slices.Contains(hunt.InvariantNames(), name) {
			return o, fmt.Errorf("--invariant %q; expected one of %s%s", name, strings.Join(hunt.InvariantNames(), ", "), didYouMean(name, hunt.InvariantNames()))
		}
	}
	for _, rule := range f.unless {
		var any release.Rules
		if err := any.Set(rule, true); err != nil {
			return o, fmt.Errorf("--unless: %w%s; kafkatrial rules lists them all", err, didYouMean(rule, ruleNames()))
		}
	}
	o.Invariants, o.Unless = f.invariants, f.unless
	if f.shard != "" {
		n, of, ok := strings.Cut(f.shard, "/")
		o.Shard, err = strconv.Atoi(n)
		shards, err2 := strconv.Atoi(of)
		if o.Shards = shards; !ok || err != nil || err2 != nil || o.Shard < 1 || o.Shard > o.Shards {
			return o, fmt.Errorf("--shard %q; expected i/n with i from 1 to n, as in 2/8", f.shard)
		}
	}
	if f.faults != "" {
		if o.Faults, err = faultsOf(f.faults); err != nil {
			return o, err
		}
		switch {
		case o.Faults.Budget > 0:
			return o, fmt.Errorf("--faults %q: how many faults strike in a run is said by --budget", f.faults)
		case len(o.Faults.Classes()) == 0:
			return o, fmt.Errorf("--faults %q names nothing that strikes; expected words such as kill, pause, late=20ms", f.faults)
		}
	}
	o.Base.Kafka = f.kafka
	o.Base.Set, err = settings(f.set)
	return o, err
}

// faultsOf reads --faults.
func faultsOf(flag string) (sim.FaultModel, error) {
	a, err := sim.ParseFaultModel(flag)
	switch {
	case err != nil:
	case len(a.Pauses) > 0 && a.Node&sim.CanPause == 0:
		return a, fmt.Errorf("--faults %q says how long pauses last, but nothing pauses; expected pause beside it", flag)
	case len(a.Of) > 0 && len(a.Late) == 0 && !a.Lose && !a.Duplicate:
		return a, fmt.Errorf("--faults %q says which messages, but not what happens to them; expected lose, duplicate or late=20ms beside it", flag)
	default:
		return a, nil
	}
	key := func(word string) string { key, _, _ := strings.Cut(word, "="); return key }
	var known []string
	for _, word := range sim.FaultModelWords() {
		known = append(known, key(word))
	}
	for _, word := range strings.Fields(flag) {
		if !slices.Contains(known, key(word)) {
			return a, fmt.Errorf("--%w%s", err, didYouMean(key(word), known))
		}
	}
	return a, fmt.Errorf("--%w", err)
}

// settings reads --set KEY=VALUE.
func settings(set []string) (all []scenarios.Setting, err error) {
	for _, s := range set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--set %q; expected KEY=VALUE, as in --set acks=all", s)
		}
		all = append(all, scenarios.Setting{Key: key, Value: value})
	}
	return all, nil
}

func (a *app) hunt(name string, flags *huntFlags) error {
	o, err := flags.options()
	if err != nil {
		return err
	}
	opened, err := a.openAll(name)
	if err != nil {
		return err
	}
	collectLessOften()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	if err := mayHold(flags.save); err != nil {
		return err
	}
	var reports []*hunt.Report
	for _, one := range opened {
		bar := a.bar(one.File.Name.Text)
		o.Progress = bar.progress
		r, err := hunt.Campaign(ctx, one, o)
		bar.clear()
		if err != nil {
			return err
		}
		r.Shrink(ctx)
		if err := a.saveFound(r, one, flags.save); err != nil {
			return err
		}
		reports = append(reports, r)
		if ctx.Err() != nil {
			break
		}
	}
	return a.tellHunts(reports, flags.format)
}

// scenarioFiles lists the scenario files of a directory; a name or the path of a file stands for itself.
func scenarioFiles(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, nil
	}
	paths, err := filepath.Glob(filepath.Join(name, "*.yaml"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("there are no scenario files (*.yaml) in %s", name)
	}
	return paths, err
}

// mayHold says whether a directory is there, or can be made: better known before a hunt than after it.
func mayHold(dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("--save %s: %s is a file; expected a directory, or one that can be made", dir, at)
		case err == nil:
			return nil
		case at == filepath.Dir(at):
			return fmt.Errorf("--save %s: %w", dir, err)
		}
	}
}

// openAll opens a scenario, or all scenario files of a directory.
func (a *app) openAll(name string) (all []*scenarios.Opened, err error) {
	paths, err := scenarioFiles(name)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		o, err := a.open(path)
		if err != nil {
			return nil, err
		}
		if o.Answers != nil {
			return nil, fmt.Errorf("%s is an answers file; hunt takes a scenario", path)
		}
		all = append(all, o)
	}
	return all, nil
}

// saveFound writes an answers file for each that was found, so that "step" opens it.
func (a *app) saveFound(r *hunt.Report, o *scenarios.Opened, dir string) (err error) {
	for i := range r.Found {
		v := &r.Found[i]
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		path := filepath.Join(dir, o.File.Name.Text+"-"+v.Slug()+".answers")
		answers := v.Identity(scenarioAsSeenFrom(path, o))
		if path, err = writeBeside(path, answers.Text()); err != nil {
			return err
		}
		v.File, v.Answers = path, answers.Text()
	}
	return nil
}

// writeBeside writes a file, and under another name if one of that name holds something else: what another
// hunt has found is not written over.
func writeBeside(path, text string) (string, error) {
	base := strings.TrimSuffix(path, ".answers")
	for n := 2; ; n++ {
		old, err := os.ReadFile(path)
		if os.IsNotExist(err) || err == nil && string(old) == text {
			return path, os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return "", err
		}
		path = fmt.Sprintf("%s-%d.answers", base, n)
	}
}

// tellHunts writes what came of it and gives the exit status.
func (a *app) tellHunts(reports []*hunt.Report, format string) error {
	var err error
	switch {
	case format == "json" && len(reports) == 1:
		err = a.json(reports[0])
	case format == "json":
		err = a.json(reports)
	default:
		for i, r := range reports {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			a.tellHunt(r)
		}
	}
	if err != nil {
		return err
	}
	status := exitAsStated
	for _, r := range reports {
		switch {
		case len(r.Violations) > 0:
			status = exitDiffers
		case (r.Undecided > 0 || !r.Tried()) && status == exitAsStated:
			status = exitUndecided
		}
	}
	if status != exitAsStated {
		return exitStatus(status)
	}
	return nil
}

// tellHunt is the report in words.
func (a *app) tellHunt(r *hunt.Report) {
	look := a.look()
	print := func(indent int, text string) {
		for _, line := range story.Wrap(text, look.Width-indent) {
			fmt.Fprintf(a.out, "%*s%s\n", indent, "", line)
		}
	}
	if len(r.EndsBefore) > 0 {
		print(0, fmt.Sprintf("WARNING: the script ends before %s acknowledged or failed, and faults strike for at most %d s more. A wait for what is to be tried, as its last step, gives them the time.",
			areOrIs(r.EndsBefore), scenarios.Work/sim.Second))
	}
	if !r.Tried() && r.Runs > 0 {
		print(0, "WARNING: nothing struck in any run: all were as the calm one, and there was nothing to find.")
	}
	head := fmt.Sprintf("%s, Kafka %s: %s, at most %s in each, %s in all, seed %d", r.Scenario, r.Kafka, counted(r.Runs, "run"), counted(r.Budget, "fault"), counted(r.Steps, "step"), r.Seed)
	if r.Shard != "" {
		head += ", shard " + r.Shard
	}
	print(0, head)
	if r.Interrupted {
		print(0, fmt.Sprintf("Interrupted: %d of %d runs were made.", r.Runs, r.Planned))
	}
	for _, line := range tried(r) {
		print(0, line)
	}
	if len(r.Violations) == 0 {
		print(0, "No run broke "+enumerated(append(slices.Clone(r.Claims), r.Invariants...), "or")+".")
	}
	for _, v := range r.Violations {
		line := fmt.Sprintf("%s is broken in %s", v.Name, counted(v.Count, "run"))
		for _, u := range r.OfUndecided {
			if u.Name == v.Name {
				line += fmt.Sprintf(", of which %d undecided: more time would not mend it", u.Count)
			}
		}
		print(0, line+".")
	}
	if len(r.NotLookedFor) > 0 {
		print(0, "Not looked for: "+strings.Join(r.NotLookedFor, ", ")+" (--claim).")
	}
	for i := range r.Found {
		v := &r.Found[i]
		if slices.ContainsFunc(r.Found[:i], v.TellsTheSame) {
			continue
		}
		title := v.Title()
		for _, other := range r.Found[i+1:] {
			if v.TellsTheSame(other) {
				title = fmt.Sprintf("%s and %s", strings.TrimSuffix(title, " at the "+string(v.Level)), other.Title())
			}
		}
		fmt.Fprintln(a.out)
		print(2, fmt.Sprintf("%s, run %d: %s", title, v.Run, v.Sentence))
		if len(v.Decisions) == 0 {
			print(4, "It takes no fault: the script alone leads there.")
		} else {
			print(4, fmt.Sprintf("It takes %s:", counted(len(v.Decisions), "decision")))
		}
		for _, d := range v.Decisions {
			print(6, d)
		}
		if v.Unshrunk {
			fmt.Fprintf(a.out, "    it has not been shrunk: kafkatrial shrink %s\n", v.File)
		}
		if v.File != "" {
			fmt.Fprintf(a.out, "    open it: kafkatrial step %s\n", v.File) // in one line, to be copied
		}
	}
	if len(r.NeverHit) > 0 {
		fmt.Fprintln(a.out)
		print(0, fmt.Sprintf("Rare situations: %d of %d were met. Never met:", len(r.Probes), len(r.Probes)+len(r.NeverHit)))
		for _, m := range r.NeverHit {
			print(2, m)
		}
	}
}

// strikes are the words of a fault model as something that is counted, for one and for more.
var strikes = map[string][2]string{"kill": {"kill", "kills"}, "pause": {"pause", "pauses"}, "power-loss": {"power loss", "power losses"}, "disk-loss": {"lost disk", "lost disks"},
	"shutdown": {"orderly shutdown", "orderly shutdowns"}, "cut": {"cut link", "cut links"}, "lose": {"lost message", "lost messages"}, "duplicate": {"doubled message", "doubled messages"}, "late": {"late message", "late messages"},
	"orders": {"order of an operator", "orders of an operator"}, "in-flight": {"held message", "held messages"}, "reorder": {"message that overtook", "messages that overtook"}}

// tried says what struck, how many runs differed for it, and how many came to no decision.
func tried(r *hunt.Report) (lines []string) {
	var did []string
	for _, c := range r.Struck {
		did = append(did, fmt.Sprintf("%d %s", c.Count, strikes[c.Name][min(c.Count, 2)-1]))
	}
	line := fmt.Sprintf("%d of %s differed from the calm one.", r.Differed, counted(r.Runs, "run"))
	if len(did) > 0 {
		line += " What struck: " + strings.Join(did, ", ") + "."
	}
	if len(r.NeverStruck) > 0 {
		line += " What never did: " + strings.Join(r.NeverStruck, ", ") + "."
	}
	lines = append(lines, line)
	if r.Undecided > 0 {
		lines = append(lines, fmt.Sprintf("%s undecided: the run did not come to rest, or its script could not go on.", counted(r.Undecided, "run")))
	}
	return lines
}

// areOrIs names records, of many the first few, with the verb behind them.
func areOrIs(names []string) string {
	const few = 5
	switch {
	case len(names) == 1:
		return names[0] + " is"
	case len(names) > few:
		return fmt.Sprintf("%s and %d more are", strings.Join(names[:few], ", "), len(names)-few)
	}
	return enumerated(names, "and") + " are"
}

func counted[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// scenarioAsSeenFrom names a scenario as the header of an answers file does: by its name if it is embedded,
// else by its path from there.
func scenarioAsSeenFrom(path string, o *scenarios.Opened) string {
	if embedded, ok := scenarios.Source(o.File.Name.Text); ok && string(embedded) == string(o.Source) {
		return o.File.Name.Text
	}
	abs, err1 := filepath.Abs(o.Path)
	dir, err2 := filepath.Abs(filepath.Dir(path))
	if err1 == nil && err2 == nil {
		if rel, err := filepath.Rel(dir, abs); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return o.Path
}

// bar shows on standard error how far a hunt has come, if that is a terminal.
type bar struct {
	w     io.Writer // nil: nobody looks
	name  string
	began time.Time
	drawn time.Time
	width int
}

func (a *app) bar(name string) *bar {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) || os.Getenv("TERM") == "dumb" || a.linear {
		return &bar{}
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width < 20 {
		width = 80
	}
	return &bar{w: f, name: name, began: time.Now(), width: width}
}

func (b *bar) progress(p hunt.Progress) {
	b.draw(p.Done == p.Runs, func(spent time.Duration) string { return barLine(b.name, p, spent) })
}

// explored shows how far an exploration has come: how far it has to go nobody knows.
func (b *bar) explored(p explore.Progress) {
	b.draw(false, func(time.Duration) string {
		return fmt.Sprintf("%s: %d answers that differ from calm, %d states, %d transitions, %d outcomes", b.name, p.Level, p.States, p.Transitions, p.Outcomes)
	})
}

// draw writes the line anew, ten times a second at most, and the last one always.
func (b *bar) draw(last bool, line func(spent time.Duration) string) {
	now := time.Now()
	if b.w == nil || now.Sub(b.drawn) < 100*time.Millisecond && !last {
		return
	}
	b.drawn = now
	fmt.Fprintf(b.w, "\r\x1b[K%s", columns.Head(line(now.Sub(b.began)), b.width-1))
}

func (b *bar) clear() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

// barLine is what the progress bar says: how far, how fast, what was found, which probes were hit, how long yet.
func barLine(name string, p hunt.Progress, spent time.Duration) string {
	const cells = 20
	full := cells * p.Done / max(p.Runs, 1)
	line := fmt.Sprintf("%s [%s%s] %d/%d runs", name, strings.Repeat("#", full), strings.Repeat(".", cells-full), p.Done, p.Runs)
	if s := spent.Seconds(); s > 0 {
		line += fmt.Sprintf(", %.0f runs/s", float64(p.Done)/s)
	}
	for _, v := range p.Violations {
		line += fmt.Sprintf(", %s %d", v.Name, v.Count)
	}
	line += fmt.Sprintf(", probes %d/%d", p.Probes, p.AllProbes)
	if p.Done > 0 && p.Done < p.Runs {
		left := time.Duration(float64(spent) / float64(p.Done) * float64(p.Runs-p.Done))
		line += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return line
}

// readReports reads the report, or the reports, that hunt --format json wrote.
func readReports(path string) ([]*hunt.Report, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(src)))
	d.DisallowUnknownFields()
	var all []*hunt.Report
	if strings.HasPrefix(strings.TrimSpace(string(src)), "[") {
		err = d.Decode(&all)
	} else {
		all = []*hunt.Report{{}}
		err = d.Decode(all[0])
	}
	switch rest := strings.TrimSpace(string(src)[d.InputOffset():]); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it is empty, or was cut off")
	case err == nil && rest != "":
		err = errors.New("something follows after it; expected each report in a file of its own")
	case err == nil && len(all) == 0:
		err = errors.New("the list is empty")
	}
	for i := 0; err == nil && i < len(all); i++ {
		err = all[i].Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a report of hunt --format json: %w", path, err)
	}
	return all, nil
}

// collectLessOften is for commands that make many runs: these are short and leave much behind, and worlds are copied by the
// thousand, so that memory is cheaper than collecting garbage often. Who sets GOGC has said how often.
func collectLessOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
