package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"kafkatrial/scenarios/format"
)

// Variants gives the file's comparisons as scenarios of their own, in order.
func Variants(f *format.File) []*format.File {
	var all []*format.File
	for _, v := range f.Compare {
		all = append(all, f.With(v))
	}
	return all
}

// Compared prepares a run of the comparison at a place of the file's list. An error names the comparison.
func Compared(f *format.File, at int, o Options) (*Run, error) {
	v := &f.Compare[at]
	r, err := New(f.With(*v), o)
	if err != nil {
		name := Label(v)
		if title := v.Title.In(""); title != "" {
			name += " (" + title + ")"
		}
		return nil, fmt.Errorf("%v: the comparison %s can not be run: %w", v.Position(), name, err)
	}
	return r, nil
}

// Prepare prepares the run of a file and of each of its comparisons, and tells of all that can not be run. What keeps the
// file itself from being run is not told again of its comparisons.
func Prepare(f *format.File) error {
	_, main := New(f, Options{})
	if refusal, _ := RefusedAs(f.Refused, main); refusal != nil {
		main = nil
	}
	errs := []error{main}
	for i := range f.Compare {
		_, err := Compared(f, i, Options{})
		if refusal, _ := RefusedAs(f.Compare[i].Refused, err); refusal != nil {
			continue
		}
		if main != nil && err != nil && strings.HasSuffix(err.Error(), main.Error()) {
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Label says what a variant changes.
func Label(v *format.Variant) string {
	var with []string
	for _, f := range v.Features {
		with = append(with, Switched(f))
	}
	for _, set := range v.Set {
		with = append(with, set.Key.Text+"="+set.Value.Text)
	}
	if v.Loop != nil {
		with = append(with, "the loop "+v.Loop.String())
	}
	for _, l := range v.Loops {
		with = append(with, "the loop of "+l.Name.Text+" "+l.Loop.String())
	}
	if v.HandOff != nil {
		if *v.HandOff {
			with = append(with, "a hand-off to another thread")
		} else {
			with = append(with, "no hand-off")
		}
	}
	if v.OrderBy != "" {
		with = append(with, "order by "+string(v.OrderBy))
	}
	if v.InSomeRuns != nil {
		with = append(with, v.InSomeRuns.Words())
	}
	if v.Seed != nil {
		with = append(with, fmt.Sprintf("seed %d", *v.Seed))
	}
	if v.OnError != "" {
		with = append(with, "on-error "+string(v.OnError))
	}
	if v.OnAbort != "" {
		with = append(with, "on-abort "+string(v.OnAbort))
	}
	if v.OnUnknown != "" {
		with = append(with, "on-unknown "+string(v.OnUnknown))
	}
	if v.GroupMetadata != nil {
		with = append(with, fmt.Sprintf("group-metadata %t", *v.GroupMetadata))
	}
	if v.Resume != "" {
		with = append(with, "positions resumed from "+ResumeWords[v.Resume])
	}
	if v.Fence != nil {
		if *v.Fence {
			with = append(with, "fenced positions")
		} else {
			with = append(with, "positions that are not fenced")
		}
	}
	switch v.Metadata {
	case format.KRaft:
		with = append(with, "KRaft")
	case format.ZooKeeper:
		with = append(with, "ZooKeeper")
	}
	text := ""
	if v.Kafka.Text != "" {
		text = "under Kafka " + Release(v.Kafka.Text)
	}
	if len(with) > 0 {
		if text != "" {
			text += " "
		}
		text += "with " + strings.Join(with, " and ")
	}
	if text == "" {
		text = "once more"
	}
	return text
}

// Switched says that a rule is switched on or off, and that no release has it if that is so.
func Switched(f format.Feature) string {
	words := f.Name.Text + " off"
	if f.On {
		words = f.Name.Text + " on"
	}
	if InNoRelease(f.Name.Text) {
		words += " (in no release)"
	}
	return words
}

// ResumeWords says whose positions an application takes up when it begins.
var ResumeWords = map[format.ResumeFrom]string{format.ResumeCommitted: "Kafka", format.ResumeDatabase: "the database", format.ResumeStaged: "the staging place"}
