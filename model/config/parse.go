package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// value is what a text stands for.
type value struct {
	null bool
	n    int64  // a number; 1 for true; millionths of a fraction; acks
	text string // in one spelling
}

// in converts a number to a finer unit of time. Below zero stands for "no limit" and stays.
func (a value) in(from, to Unit) value {
	if from == to || a.null || a.n < 0 {
		return a
	}
	ratio := int64(from.length() / to.length())
	if a.n > math.MaxInt64/ratio {
		return number(math.MaxInt64)
	}
	return number(a.n * ratio)
}

// parse reads a text as the setting's kind and checks its range. A default may be null, a choice may not.
func (d *Def) parse(text string, isDefault bool) (value, error) {
	text = strings.TrimSpace(text)
	if isDefault && (text == Null || text == Required) {
		return value{null: true}, nil
	}
	switch d.Kind {
	case Int, Long:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < d.low() || n > d.high() {
			return value{}, d.want(text)
		}
		return number(n), nil
	case Boolean:
		switch strings.ToLower(text) {
		case "true":
			return value{n: 1, text: "true"}, nil
		case "false":
			return value{text: "false"}, nil
		}
		return value{}, d.want(text)
	case Double:
		n, ok := millionths(text)
		if !ok || n < d.Min || (d.Max != 0 && n > d.Max) {
			return value{}, d.want(text)
		}
		return value{n: n, text: text}, nil
	case List:
		words := strings.Split(text, ",")
		for i := range words {
			words[i] = d.word(strings.TrimSpace(words[i]))
			if !d.allows(words[i]) {
				return value{}, d.want(text)
			}
		}
		return value{text: strings.Join(words, ",")}, nil
	}
	w := d.word(text)
	if !d.allows(w) {
		return value{}, d.want(text)
	}
	switch d.Key {
	case "acks":
		return acks(w), nil
	case "auto.offset.reset":
		return value{text: resetWord(w)}, nil
	}
	return value{text: w}, nil
}

// number makes a value of a number.
func number(n int64) value { return value{n: n, text: strconv.FormatInt(n, 10)} }

// resetWord gives the words of the old and the new consumer one spelling.
func resetWord(w string) string {
	switch w {
	case "smallest":
		return "earliest"
	case "largest":
		return "latest"
	}
	return w
}

// acks gives the two spellings of "all" one value.
//
// Kafka: KafkaProducer.parseAcks, ProducerConfig.parseAcks.
func acks(word string) value {
	switch word {
	case "0":
		return value{n: 0, text: "0"}
	case "1":
		return value{n: 1, text: "1"}
	}
	return value{n: -1, text: "all"}
}

// word leaves the package of a class away.
func (d *Def) word(w string) string {
	if d.Kind == Class || (d.Kind == List && strings.HasSuffix(d.Key, "strategy")) {
		return w[strings.LastIndexByte(w, '.')+1:]
	}
	return w
}

func (d *Def) allows(w string) bool {
	if len(d.Enum) == 0 {
		return true
	}
	for _, e := range d.Enum {
		if e == w {
			return true
		}
	}
	return false
}

func (d *Def) low() int64 {
	if d.Kind == Int && d.Min < math.MinInt32 {
		return math.MinInt32
	}
	return d.Min
}

func (d *Def) high() int64 {
	switch {
	case d.Max != 0:
		return d.Max
	case d.Kind == Int:
		return math.MaxInt32
	}
	return math.MaxInt64
}

// ValueError is the error for a value that a setting can not have.
type ValueError struct {
	Key, Value string
	Expected   string // in words, as "true or false"
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s: want %s, not %q", e.Key, e.Expected, e.Value)
}

// want is the error for a value that does not fit.
func (d *Def) want(text string) error { return &ValueError{d.Key, text, d.expected()} }

// expected says in words what the setting takes.
func (d *Def) expected() string {
	switch d.Kind {
	case Int, Long:
		what := "a whole number"
		if d.Unit != Plain {
			what += " of " + d.Unit.String()
		}
		if d.Max != 0 {
			return fmt.Sprintf("%s from %d to %d", what, d.Min, d.Max)
		}
		if d.Kind == Int {
			return fmt.Sprintf("%s from %d to %d", what, d.low(), int64(math.MaxInt32))
		}
		return fmt.Sprintf("%s of at least %d", what, d.Min)
	case Boolean:
		return "true or false"
	case Double:
		return "a decimal fraction from 0 to 1"
	case List:
		if len(d.Enum) > 0 {
			return "a list (commas between the words) out of " + strings.Join(d.Enum, ", ")
		}
		return "a list with commas between the words"
	}
	if n := len(d.Enum); n > 1 {
		return strings.Join(d.Enum[:n-1], ", ") + " or " + d.Enum[n-1]
	} else if n == 1 {
		return d.Enum[0]
	}
	return "a word"
}

// millionths reads a decimal fraction without going through floating point.
func millionths(s string) (int64, bool) {
	whole, frac, _ := strings.Cut(s, ".")
	if len(frac) > 6 || whole == "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 6-len(frac)), 10, 64)
	return n, err == nil
}
