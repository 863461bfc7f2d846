package pages

import (
	"errors"
	"fmt"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/tui"
	"kafkatrial/tui/story"
)

// screen quotes a screen of the stepper: step NAME --at PLACE, 80x24. The place is what the stepper takes, or
// words of the sentence that tells the step: a number may be another step tomorrow, words are not. --keys
// presses keys then, with spaces between them; "type:WORD" types a word, "space" a space.
func screen(args []string) (string, error) {
	at, keys := "", ""
	rest, err := flags(args, map[string]*string{"at": &at, "keys": &keys})
	if err != nil {
		return "", err
	}
	if len(rest) != 3 || rest[0] != "step" {
		return "", errors.New("expected: step NAME --at PLACE [--keys KEYS], WIDTHxHEIGHT")
	}
	var w, h int
	if n, err := fmt.Sscanf(rest[2], "%dx%d", &w, &h); n != 2 || err != nil || w < 60 || h < 18 || w > 200 || h > 60 {
		return "", fmt.Errorf("%q is no size of a screen, such as 80x24", rest[2])
	}
	o, err := scenarios.Open(rest[1])
	if err != nil {
		return "", err
	}
	if at, err = moment(o, at); err != nil {
		return "", err
	}
	text, err := tui.Frame(o, tui.Options{At: at, NoColor: true}, w, h, pressed(keys)...)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	command, words := "kafkatrial step "+rest[1], ""
	switch {
	case strings.Contains(at, " "):
		command += ` --at "` + at + `"`
	case at != "":
		command += " --at " + at
	}
	if keys != "" {
		words = "then the keys `" + strings.ReplaceAll(keys, "type:", "") + "`"
	}
	return caption(rest[1], "", command, words) + fenced(strings.Join(lines, "\n")), nil
}

// pressed lists the keys of a mark one by one.
func pressed(keys string) []string {
	var all []string
	for _, k := range strings.Fields(keys) {
		if word, ok := strings.CutPrefix(k, "type:"); ok {
			all = append(all, strings.Split(word, "")...)
			continue
		}
		if k == "space" {
			k = " "
		}
		all = append(all, k)
	}
	return all
}

// moment turns words into the number of the first step that is told in them.
func moment(o *scenarios.Opened, at string) (string, error) {
	if !strings.Contains(at, " ") || strings.HasPrefix(at, "act ") {
		return at, nil
	}
	r, err := scenarios.New(o.File, scenarios.Options{})
	if err != nil {
		return "", err
	}
	r.Finish()
	for _, e := range story.New(r, story.Options{}).Entries() {
		if strings.Contains(strings.Join(e.What, "; "), at) {
			return fmt.Sprint(e.Step), nil
		}
	}
	return "", fmt.Errorf("--at %q is nowhere in the run", at)
}
