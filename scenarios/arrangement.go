package scenarios

import (
	"fmt"
	"strings"

	"kafkatrial/scenarios/format"
)

// arrangement says what an action does to messages on their way, "" for an action that does nothing to them.
// Such an action changes no node, so that the trace would not tell of it otherwise.
func arrangement(a format.Action) string {
	switch a := a.(type) {
	case *format.Hold:
		return verb(&a.Messages, a.Count, "is held back", "are held back")
	case *format.Drop:
		return verb(&a.Messages, a.Count, "will be lost", "will be lost")
	case *format.Duplicate:
		return verb(&a.Messages, a.Count, "will arrive twice", "will arrive twice")
	case *format.Delay:
		return verb(&a.Messages, a.Count, "takes "+a.By.Text+" longer", "take "+a.By.Text+" longer")
	case *format.Release:
		if a.All {
			return "everything that was held back goes on"
		}
		if a.Count.All {
			return messages(&a.Messages, true) + " that were held back go on"
		}
		return fmt.Sprintf("of %s held back, %d go on", messages(&a.Messages, true), a.Count.N)
	}
	return ""
}

func verb(m *format.Messages, c format.Count, one, many string) string {
	switch {
	case c.All:
		return "from now on, " + messages(m, true) + " " + many
	case c.N == 1:
		return "the next " + messages(m, false) + " " + one
	}
	return fmt.Sprintf("the next %d %s %s", c.N, messages(m, true), many)
}

// messages names the messages that a pattern picks.
func messages(m *format.Messages, many bool) string {
	what := "message"
	if !m.Kind.IsZero() {
		what = m.Kind.Text
		if !strings.HasSuffix(what, "Response") && !strings.HasSuffix(what, "Request") {
			what += "Request"
		}
	}
	if many {
		what += "s"
	}
	if !m.From.IsZero() {
		what += " from " + m.From.String()
	}
	if !m.To.IsZero() {
		what += " to " + m.To.String()
	}
	if !m.Record.IsZero() {
		what += " about " + m.Record.Text
	}
	return what
}
