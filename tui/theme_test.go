package tui

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kafkatrial/tui/story"
	"kafkatrial/tui/view"
)

type rgb [3]float64

// xterm's sixteen colours; the others follow from their numbers.
var sixteen = [16]rgb{{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255}}

func colour(n int) rgb {
	switch {
	case n < 16:
		return sixteen[n]
	case n >= 232:
		v := float64(8 + 10*(n-232))
		return rgb{v, v, v}
	}
	level := func(k int) float64 {
		if k == 0 {
			return 0
		}
		return float64(55 + 40*k)
	}
	n -= 16
	return rgb{level(n / 36), level(n / 6 % 6), level(n % 6)}
}

// contrast is that of WCAG 2: from 1 to 21.
func contrast(a, b rgb) float64 {
	luminance := func(c rgb) float64 {
		var l [3]float64
		for i, v := range c {
			if v /= 255; v <= 0.04045 {
				l[i] = v / 12.92
			} else {
				l[i] = math.Pow((v+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// written gives the colours that a text sets, by their numbers; 2, which makes text faint by an unknown measure, is -1.
func written(text string) map[int]bool {
	all := map[int]bool{}
	for _, m := range sgr.FindAllStringSubmatch(text, -1) {
		codes := strings.Split(m[1], ";")
		for i := 0; i < len(codes); i++ {
			n, _ := strconv.Atoi(codes[i])
			switch {
			case n == 38 && i+2 < len(codes):
				n, _ = strconv.Atoi(codes[i+2])
				all[n] = true
				i += 2
			case n == 2:
				all[-1] = true
			case n >= 30 && n < 38:
				all[n-30] = true
			case n >= 90 && n < 98:
				all[n-82] = true
			}
		}
	}
	return all
}

var grounds = map[view.Ground][]rgb{
	view.Dark:  {{0, 0, 0}, {30, 30, 30}, {40, 44, 52}, {48, 48, 48}},
	view.Light: {{255, 255, 255}, {250, 250, 250}, {238, 238, 238}},
}

func readable(t *testing.T, what, text string, on []rgb) {
	t.Helper()
	all := written(text)
	if len(all) == 0 {
		t.Errorf("%s has no colour", what)
	}
	for n := range all {
		if n < 0 {
			t.Errorf("%s: faint text, of which nobody knows the contrast", what)
			continue
		}
		for _, g := range on {
			if c := contrast(colour(n), g); c < 4.5 {
				t.Errorf("%s: colour %d on %v has a contrast of %.2f", what, n, g, c)
			}
		}
	}
}

// Every colour of either theme can be read on every ground that the theme is for. Sixteen colours are asked for on black and on white.
func TestContrast(t *testing.T) {
	if c := contrast(rgb{}, rgb{255, 255, 255}); math.Abs(c-21) > 1e-9 {
		t.Fatalf("black on white has a contrast of %v", c)
	}
	for ground, on := range grounds {
		for palette, on := range map[view.Palette][]rgb{view.Full: on, view.Basic: on[:1]} {
			theme := view.NewTheme(palette, ground, false)
			for name, style := range map[string]interface{ Render(...string) string }{"faint": theme.Faint, "good": theme.Good, "warn": theme.Warn, "bad": theme.Bad} {
				readable(t, name, style.Render("x"), on)
			}
			if text := theme.Strong.Render("x") + theme.Plain.Render("x"); len(written(text)) > 0 {
				t.Errorf("plain text has a colour: %q", text)
			}
		}
	}
}

// So can the colours of a transcript with its verdicts, and those of a whole screen.
func TestContrastOfWhatIsDrawn(t *testing.T) {
	for ground, on := range grounds {
		light := ground == view.Light
		s := embedded(t, "kip-101-truncation", Options{Light: light}, 120, 40)
		s.m.looks = looks(view.Full, ground, false)
		s.m.setLook(0)
		for _, keys := range [][]string{{"p", "v"}, {"f"}, {"G"}, {"C"}} {
			s.press(keys...)
			readable(t, "a screen", s.text(), on)
		}
		var b bytes.Buffer
		if err := s.m.top().S.Story().Transcript(&b, story.Look{Width: 100, Color: true, Light: light}); err != nil {
			t.Fatal(err)
		}
		readable(t, "the transcript", b.String(), on[:1])
	}
}

// t goes through the ways to draw, and comes back.
func TestLooks(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24)
	s.m.looks = looks(view.Full, view.Light, false)
	s.m.setLook(0)
	first := s.text()
	for _, want := range []string{"Drawn for a dark background.", "Drawn without colours.", "Drawn ASCII.", "Drawn as the terminal has it."} {
		s.press("t")
		s.says(want)
	}
	if s.press("left"); s.text() != first && len(written(s.text())) == 0 {
		t.Error("t does not come back to the colours")
	}
}
