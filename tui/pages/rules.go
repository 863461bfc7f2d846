package pages

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"kafkatrial/model/release"
)

// rules is a table of every switch of the model: "all" has what each says, "tickets" begins with the ticket that brought it,
// "others" is what no switch stands for.
func rules(args []string) (string, error) {
	switch {
	case len(args) == 1 && args[0] == "others":
		return others()
	case len(args) != 1 || args[0] != "all" && args[0] != "tickets":
		return "", errors.New("expected all, tickets or others")
	}
	tickets := args[0] == "tickets"
	rows := []string{"| switch | releases | what it says | source |\n|---|---|---|---|"}
	if tickets {
		rows[0] = "| ticket | releases | what it changes | switch |\n|---|---|---|---|"
	}
	for i := range release.All {
		r := &release.All[i]
		where := inReleases(r)
		ticket, _, _ := strings.Cut(r.Source, "; ")
		switch {
		case !tickets:
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", r.Key, where, r.Title, r.Source))
		case !r.InNoRelease():
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | `%s` |", ticket, where, r.Title, r.Key))
		}
	}
	return strings.Join(rows, "\n"), nil
}

// inReleases says which releases have a rule.
func inReleases(r *release.Rule) string {
	if r.InNoRelease() {
		return "in none"
	}
	if r.Until == nil {
		return r.Since.String()
	}
	return r.Since.String() + ", until " + r.Until.String()
}

// tickets are changes of Kafka that were looked at and have no switch: the ticket, its releases, what it changes, and how the model
// stands to it.
//
//go:embed tickets.tsv
var tickets string

// others is a table of them. A ticket that got a switch since is left out.
func others() (string, error) {
	var switched strings.Builder
	for i := range release.All {
		switched.WriteString(release.All[i].Source + " ")
	}
	rows := []string{"| ticket | releases | what it changes | in the model |\n|---|---|---|---|"}
	for _, line := range strings.Split(strings.TrimSpace(tickets), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return "", fmt.Errorf("tickets.tsv: %d cells, want 4: %s", len(cells), line)
		}
		if !strings.Contains(switched.String(), cells[0]+" ") && !strings.Contains(switched.String(), cells[0]+";") && !strings.Contains(switched.String(), cells[0]+",") {
			rows = append(rows, "| "+strings.Join(cells, " | ")+" |")
		}
	}
	return strings.Join(rows, "\n"), nil
}
