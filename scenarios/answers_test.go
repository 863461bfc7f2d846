package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/sim"
)

func TestHeadersOfAnswersAreNotPassedOver(t *testing.T) {
	for header, want := range map[string]string{
		"scenario: calm\nfoo: bar":                 `the header has a line "foo"; expected one of scenario`,
		"scenario: calm\nkafke: 4.0":               `did you mean "kafka"?`,
		"scenario: calm\nkafka: 4.0\nkafka: 3.9":   `the header has the line "kafka" twice`,
		"scenario: calm\nset: acks=1\nset: acks=0": "",
	} {
		_, err := ParseAnswers("x.answers", []byte(sim.AnswersFormat+"\n"+header+"\nanswers:\nend: 1 steps, hash 00\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", header, err, want)
		}
	}
}
