package view

import (
	"testing"

	"kafkatrial/model/event"
)

// TestEverySignIsDrawn: a sign without a glyph would look like an event of no account.
func TestEverySignIsDrawn(t *testing.T) {
	c := &Context{Theme: NewTheme(None, Dark, false)}
	for i := range event.Catalogue {
		k := &event.Catalogue[i]
		if glyph, _ := c.sign(k); (glyph == c.Theme.G.Other) != (k.Sign == event.Other) {
			t.Errorf("%s is drawn as %q", k.ID, glyph)
		}
	}
}
