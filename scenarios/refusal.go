package scenarios

import (
	"errors"
	"fmt"

	"kafkatrial/scenarios/format"
)

// Refusal is an error that Kafka itself throws: a client, a broker or a topic with such settings does not come to be. What
// only the model refuses is none.
type Refusal struct {
	By  string // the client or the topic by its name in the file, or broker
	Err error
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap gives what Kafka complains of.
func (r *Refusal) Unwrap() error { return r.Err }

// Sentence says who does not start, and why.
func (r *Refusal) Sentence() string {
	if r.By == "broker" {
		return "the brokers refuse to start: " + r.Err.Error()
	}
	return r.By + " refuses to start: " + r.Err.Error()
}

// RefusedAs holds the error with which a run was not prepared against what the file states. It is nil if the file states nothing
// of the kind, or if something else than a refusal of Kafka's kept the run from being made. differs says in a sentence that
// somebody else refused.
func RefusedAs(stated *format.Refused, err error) (r *Refusal, differs []string) {
	if stated == nil || err == nil || !errors.As(err, &r) {
		return nil, nil
	}
	for _, one := range leaves(err) {
		var other *Refusal
		switch {
		case !errors.As(one, &other):
			return nil, nil // the model refuses too
		case other.By == stated.By.Text:
			r = other
		}
	}
	if r.By != stated.By.Text {
		differs = append(differs, fmt.Sprintf("%s is stated to refuse to start; %s does", stated.By, r.By))
	}
	return r, differs
}

// leaves lists the errors that were joined.
func leaves(err error) (all []error) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			for _, one := range joined.Unwrap() {
				all = append(all, leaves(one)...)
			}
			return all
		}
	}
	return []error{err}
}
