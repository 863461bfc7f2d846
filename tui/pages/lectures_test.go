package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

const lectures = "../../docs/lectures"

var chapterName = regexp.MustCompile(`^0*(\d+)-`)

// A chapter goes through every statement of its topic, in order, and says of each: its verdict, the era, the
// reason, and a run. The heading bears the statement in Chinese too.
func TestChaptersAreComplete(t *testing.T) {
	chapters, _ := filepath.Glob(lectures + "/[0-9]*.md")
	if len(chapters) < 3 {
		t.Fatalf("only %d chapters", len(chapters))
	}
	index := read(t, lectures+"/README.md")
	for _, file := range chapters {
		topic := chapterName.FindStringSubmatch(filepath.Base(file))
		if topic == nil {
			t.Errorf("%s does not begin with the number of its topic", file)
			continue
		}
		if !strings.Contains(index, "("+filepath.Base(file)+")") {
			t.Errorf("the index does not lead to %s", file)
		}
		var wanted []string
		for _, id := range format.Statements() {
			if strings.HasPrefix(id, topic[1]+".") {
				wanted = append(wanted, id)
			}
		}
		text := read(t, file)
		found := heading.FindAllStringSubmatchIndex(text, -1)
		if len(found) != len(wanted) {
			t.Errorf("%s has %d statements, the topic has %d", file, len(found), len(wanted))
			continue
		}
		for i, at := range found {
			id, title := text[at[2]:at[3]], text[at[4]:at[5]]
			end := len(text)
			if i+1 < len(found) {
				end = found[i+1][0]
			}
			section, _, _ := strings.Cut(text[at[1]:end], "\n## ")
			if id != wanted[i] {
				t.Errorf("%s: statement %s stands where %s belongs", file, id, wanted[i])
			}
			if !strings.ContainsFunc(title, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				t.Errorf("%s: the heading of %s has no Chinese", file, id)
			}
			if len(verdict.FindAllString(section, -1)) != 1 {
				t.Errorf("%s: %s needs one verdict: true, true if …, out of date, or false", file, id)
			}
			for _, part := range []string{"\nEra: ", "\nWhy"} {
				if !strings.Contains(section, part) {
					t.Errorf("%s: %s has no %q", file, id, strings.TrimSpace(part))
				}
			}
			if !strings.Contains(section, "<!-- run: ") && !strings.Contains(section, "<!-- verdicts: ") {
				t.Errorf("%s: no run shows %s", file, id)
			}
		}
	}
}

var quoted = regexp.MustCompile("`([a-z0-9]+(?:-[a-z0-9]+)+)`")

// A name in code type that looks like a scenario's is one.
func TestLecturesNameScenariosThatExist(t *testing.T) {
	names := map[string]bool{"exactly-once": true, "at-least-once": true, "at-most-once": true, "monotonic-read": true, "no-aborted-read": true, "read-committed": true}
	for _, n := range scenarios.Names() {
		names[n] = true
	}
	seen := 0
	files, _ := filepath.Glob(lectures + "/*.md")
	for _, file := range files {
		for _, m := range quoted.FindAllStringSubmatch(read(t, file), -1) {
			seen++
			if !names[m[1]] {
				t.Errorf("%s: there is no scenario %s", file, m[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no chapter names a scenario")
	}
}

func TestLanguages(t *testing.T) {
	for title, want := range map[string][2]string{
		"Followers pull 跟随者拉取":                                    {"Followers pull", "跟随者拉取"},
		"f+1 replicas survive f failures f+1 个副本可以容忍 f 个故障":       {"f+1 replicas survive f failures", "f+1 个副本可以容忍 f 个故障"},
		"min.insync.replicas is a number min.insync.replicas 是数目": {"min.insync.replicas is a number", "min.insync.replicas 是数目"},
		"A replica joins the ISR ISR 的成员":                         {"A replica joins the ISR", "ISR 的成员"},
		"ZooKeeper keeps state ZooKeeper 保存状态":                    {"ZooKeeper keeps state", "ZooKeeper 保存状态"},
	} {
		if en, zh := languages(title); en != want[0] || zh != want[1] {
			t.Errorf("%q is split into %q and %q", title, en, zh)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
