package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
)

// at goes to the first step that speaks of something.
func (s *desk) find(text string) *desk {
	s.press("g", "/")
	for _, r := range text {
		s.press(string(r))
	}
	return s.press("enter")
}

// pick opens the list of choices, filters it, and takes the first that fits.
func (s *desk) choose(filter string) *desk {
	s.press("c", "/")
	for _, r := range filter {
		s.press(string(r))
	}
	return s.press("enter", "enter")
}

// decided builds a failure by hand in the run of lost: broker 1 has the only copy of m1, and its disk is lost.
func decided(t *testing.T, w, h int, o Options) *desk {
	return stepping(t, "lost", o, w, h).press("p").find("b1 appends m1").choose("disk-loss b1").choose("restart b1")
}

// send presses a key and lets what it wants of the world outside happen.
func (s *desk) send(k string) *desk {
	_, cmd := s.m.Update(pressed(k))
	if cmd != nil {
		s.m.Update(cmd())
	}
	return s
}

func (s *desk) says(words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(s.text(), w) {
			s.t.Errorf("the screen does not say %q:\n%s", w, s.text())
		}
	}
}

func TestChoosingIsTaking(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p").find("b1 appends m1")
	run := s.m.top().S
	step := s.at()
	s.press("c")
	s.says("what happens next?", "by itself", "processes and machines", "kill b1", "Enter goes on: this is what the run does anyway.")
	s.press("tab", "down")
	s.says("pause b1", "Enter takes it, and begins branch 1 here.")
	s.press("shift+tab")
	s.says("Enter goes on")
	s.press("G")
	s.says("links", "nothing gets from")
	s.press("esc")
	if topmost[*choosing](s.m) != nil || s.at() != step {
		t.Error("esc does not leave the list as it was")
	}
	s.choose("kill b1")
	s.says("kill b1. This is branch 1 now; - goes back to the run itself.", "lost · branch 1 · Kafka 2.8")
	if got := s.fault(); got != "kill b1" {
		t.Errorf("the branch stands at %q", got)
	}
	s.press("c")
	s.says("what happens next?")
	s.press("/", "r", "e", "s", "t", "a", "r", "t")
	s.says("Enter takes it, and adds it to branch 1.")
	s.press("enter", "enter")
	s.says("restart b1, in branch 1.")
	s.press("-")
	if s.m.top().S != run || s.at() != step {
		t.Error("- does not go back to where the run was left")
	}
	s.press("-")
	s.says("lost · branch 1")
	if got := s.fault(); got != "restart b1" {
		t.Errorf("- again leads to %q", got)
	}
}

func TestFilterOfChoices(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p").find("b1 appends m1").press("c", "G", "/")
	for _, r := range "cut b1" {
		s.press(string(r))
	}
	if topmost[*choosing](s.m).at != 0 {
		t.Error("the cursor is not on the first choice that fits the filter")
	}
	for _, i := range topmost[*choosing](s.m).shown {
		if id := topmost[*choosing](s.m).list.All[i].ID; !strings.HasPrefix(id, "cut b1>") {
			t.Errorf("the filter leaves %s", id)
		}
	}
	s.press("enter", "/", "ctrl+u")
	for _, r := range "lost connection" { // words of the sentences
		s.press(string(r))
	}
	if len(topmost[*choosing](s.m).shown) == 0 {
		t.Error("no sentence speaks of what is lost on a connection")
	}
	for _, r := range " nowhere" {
		s.press(string(r))
	}
	s.says("Nothing that can happen fits the filter")
	s.press("enter", "enter", "esc")
	if topmost[*choosing](s.m) == nil || len(topmost[*choosing](s.m).shown) != len(topmost[*choosing](s.m).list.All) {
		t.Error("esc does not clear the filter first")
	}
	s.press("esc")
	if topmost[*choosing](s.m) != nil || len(s.m.tree.All) != 1 {
		t.Error("something was taken that is not there")
	}
}

// The rest of a file that was not flushed is asked for by itself after a loss of power.
func TestPowerLossAsksWhatSurvives(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p").find("b1 appends m1").choose("power-loss b1")
	s.says("what survives of what was not flushed", "all of it survives", ": m1")
	s.press("down", "enter")
	s.says("tear", "in branch 1")
	if n := len(s.m.tree.Here().Chosen()); n != 2 {
		t.Errorf("%d decisions, want 2", n)
	}
	s.press("B")
	s.says("step ", " power-loss b1, tear b1 orders-0 -1")
}

func TestForksHaveNames(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p").find("b1 appends m1").press("F")
	s.says("name of the branch: branch 1_")
	s.press("ctrl+u", "w", "h", "a", "t", "enter")
	s.says("lost · what", "This is what, from step")
	s.press("F", "ctrl+u", "w", "h", "a", "t", "enter")
	s.says(`There is a branch "what" already.`)
	s.press("F", "esc")
	if len(s.m.tree.All) != 2 {
		t.Errorf("%d runs, want 2", len(s.m.tree.All))
	}
	s.press("B")
	s.says("what: from the run itself, after its step", "(you are here)", "nothing was decided in it yet")
	s.press("up", "enter")
	if s.m.tree.At() != 0 {
		t.Error("enter in the list of branches does not go there")
	}
}

func TestBranchesHaveTheirOwnVerdicts(t *testing.T) {
	s := decided(t, 80, 24, noColor).press("G")
	for _, x := range []struct{ key, violated string }{{"-", "at-least-once ● violated"}, {"-", "at-least-once"}} {
		s.press(x.key)
	}
	s.press("B")
	s.says("the run itself", "branch 1", "decided: step", "disk-loss b1, step")
	s.press("D")
	s.says("where the run itself and branch 1 part", "the run itself: parts at step", "branch 1: parts at step", "b1 loses its disk")
	if topmost[*sideBySide](s.m).Other.Step != s.m.tree.All[1].S.Answers()[0].Step+1 {
		t.Errorf("branch 1 parts at step %d, its decision is %v", topmost[*sideBySide](s.m).Other.Step, s.m.tree.All[1].S.Answers()[0])
	}
	s.press("enter")
	if s.m.tree.At() != 1 || s.fault() != "disk-loss b1" || topmost[*branchList](s.m) != nil {
		t.Error("enter does not go to where the second run parts")
	}
	s.press("D")
	s.says("where the run itself and branch 1 part")
	s.press("q")
	if topmost[*sideBySide](s.m) != nil || s.m.top() == nil {
		t.Error("q does not close the view")
	}
}

// A comparison of the file can be seen beside the run too, and D over a comparison does the same.
func TestComparisonsBesideTheRun(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("C", "D")
	s.says("where the run itself and with acks=all part")
	s.press("enter")
	if len(s.m.runs()) != 2 || topmost[*compare](s.m) != nil {
		t.Error("enter does not open the comparison")
	}
	s.press("D")
	s.says("where the run itself and with acks=all part")
	s.press("esc")
	for _, k := range []string{"c", "F", "-", "B", "S"} {
		s.press(k)
		s.says("This is a comparison.")
	}
	s.press("esc", "esc")
	if len(s.m.runs()) != 1 {
		t.Error("esc does not go back to the run")
	}
}

// What was chosen is followed in the comparisons, as far as it applies.
func TestComparisonsFollowTheBranch(t *testing.T) {
	s := decided(t, 80, 24, noColor).press("C", "enter")
	found := false
	run := s.m.top().S
	for k := range run.Trace().Steps {
		st := run.Trace().Steps[k]
		found = found || st.Kind == sim.StepFault && st.Op == sim.OpDiskLoss
	}
	if !found {
		t.Error("the comparison knows nothing of the disk that was lost in the branch")
	}
}

func TestSavedBranchOpens(t *testing.T) {
	t.Chdir(t.TempDir())
	src, err := scenarios.Open("calm")
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(noColor)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s := &desk{t, m}
	run, err := session.Open(src, scenarios.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	m.open(run)
	s.press("p").find("p calls send(m1)").choose("kill p")
	if quits(s, "q") {
		t.Error("q leaves a branch that is not saved without a word")
	}
	s.says("not saved")
	s.press("S")
	s.says("save as: calm-branch-1.answers_")
	s.send("enter")
	s.says("Saved. kafkatrial step calm-branch-1.answers opens it.")
	s.press("B")
	s.says("written: kafkatrial step calm-branch-1.answers")
	s.press("esc", "S").send("enter")
	s.says("exists already")
	s.press("S", "ctrl+u", "n", "o", "/", "x").send("enter")
	s.says("Not saved: ")
	hash := s.m.top().S.Result.Hash
	again, err := scenarios.Open("calm-branch-1.answers")
	if err != nil {
		t.Fatal(err)
	}
	var o scenarios.Options
	if err := o.Follow(again.File, again.Answers); err != nil {
		t.Fatal(err)
	}
	o.Source = &sim.Replay{Answers: again.Answers.List}
	r, err := scenarios.New(again.File, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if r.World.Hash() != hash || hash != again.Answers.Hash {
		t.Errorf("the file leads to hash %016x, the branch has %016x", r.World.Hash(), hash)
	}
	if !quits(s, "q") {
		t.Error("q does not leave a branch that is saved")
	}
	if files, _ := filepath.Glob("*"); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
	if _, err := os.Stat("calm-branch-1.answers"); err != nil {
		t.Error(err)
	}
}

// The file of a run is opened without a word of what its script explains: it is another run.
func TestADecidedRunIsNotExplainedByItsFile(t *testing.T) {
	s := decided(t, 120, 40, noColor).press("G")
	if text := s.text(); strings.Contains(text, "as stated in the file") || strings.Contains(text, "the leader answers before its followers") {
		t.Errorf("the end of a branch quotes the file:\n%s", text)
	}
	s.press("-", "G")
	s.says("as stated in the file: yes")
}

func TestNothingToChooseAtTheEnd(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("G", "c")
	s.says("The run is over")
	for _, k := range []string{"-", "B", "D"} {
		s.press(k)
		s.says("There is only one run yet")
	}
}
