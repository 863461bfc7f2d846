package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"kafkatrial/model/config"
	"kafkatrial/model/release"
)

// With --width no line of the settings is wider, and none is missing; without it, in a pipe, each has a line of its own.
func TestSettingsKeepToTheWidth(t *testing.T) {
	for _, section := range []config.Section{config.Producer, config.Consumer, config.Broker, config.Topic} {
		var narrow, piped bytes.Buffer
		(&app{out: &narrow, width: 80, color: "never"}).settings(section, release.Default)
		(&app{out: &piped, color: "never"}).settings(section, release.Default)
		for _, line := range strings.Split(narrow.String(), "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: wider than 80: %s", section, line)
			}
		}
		for _, d := range config.Settings(section, release.Default) {
			if !strings.Contains(narrow.String(), d.Key+" = "+d.Default+"\n") {
				t.Errorf("%s: %s is missing", section, d.Key)
			}
		}
		if piped.String() != config.Describe(section, release.Default) {
			t.Errorf("%s: in a pipe it is no table", section)
		}
	}
}
