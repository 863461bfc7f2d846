package event

// Said: the narrator speaks.
type Said struct {
	Step int64  // of the script
	Text string `hash:"-"` // words, which do not tell runs apart
}

// Act: a card with a title.
type Act struct {
	Step int64  // of the script
	Text string `hash:"-"` // words, which do not tell runs apart
}

// Asked: a prediction is asked for.
type Asked struct {
	Step int64  // of the script
	Text string `hash:"-"` // words, which do not tell runs apart
}

// Answered: what the run answered.
type Answered struct {
	Step int64  // of the script
	Text string `hash:"-"` // words, which do not tell runs apart
}

// Healed: everything is mended, and the run goes on to rest.
type Healed struct{}

// ScriptEnd: the script ended, or goes on after a wait that timed out.
type ScriptEnd struct {
	GoesOn bool
	Text   string `hash:"-"` // why, if it ended before its last step; words, which do not tell runs apart
}

// DefectFound: an assertion of the model did not hold, and the run ends.
type DefectFound struct {
	Assertion string // what should hold
	Found     string // what was found instead
}

// Arranged: what the script does to messages on their way, which no message shows yet, or why a group begins a round after the script.
type Arranged struct {
	Step int64  // of the script; 0 after it
	Text string `hash:"-"` // words, which do not tell runs apart
}
