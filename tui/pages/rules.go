package pages

import (
	"errors"
	"fmt"
	"strings"

	"kafkatrial/model/generation"
)

// rules is a table of every switch of the model: "all" has what each says, "tickets" begins with the ticket that brought it.
func rules(args []string) (string, error) {
	if len(args) != 1 || args[0] != "all" && args[0] != "tickets" {
		return "", errors.New("expected all or tickets")
	}
	tickets := args[0] == "tickets"
	rows := []string{"| switch | releases | what it says | source |\n|---|---|---|---|"}
	if tickets {
		rows[0] = "| ticket | releases | what it changes | switch |\n|---|---|---|---|"
	}
	for i := range generation.All {
		r := &generation.All[i]
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
func inReleases(r *generation.Rule) string {
	if r.InNoRelease() {
		return "in none"
	}
	if r.Until == nil {
		return r.Since.String()
	}
	return r.Since.String() + ", until " + r.Until.String()
}
