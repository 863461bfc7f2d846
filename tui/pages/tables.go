package pages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/story"
)

// ended runs a scenario to its end, comparisons too.
func ended(name, lang string) (*story.Ending, error) {
	o, err := scenarios.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := scenarios.New(o.File, scenarios.Options{})
	if err != nil {
		return nil, err
	}
	r.Finish()
	return story.New(r, story.Options{Lang: lang}).Ending(name, nil, nil)
}

// verdicts is a table of what a scenario and its comparisons come to: the three famous claims, and of the
// others those that one of the runs violates.
func verdicts(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("expected the name of one scenario")
	}
	e, err := ended(args[0], "")
	if err != nil {
		return "", err
	}
	labels := []string{"Kafka " + e.Result.Kafka + ", as in the file"}
	results := []*scenarios.Result{&e.Result}
	for i := range e.Comparisons {
		labels = append(labels, e.Comparisons[i].Label)
		results = append(results, &e.Comparisons[i].Result)
	}
	asked, err := inQuestion(args[0])
	return caption(args[0], "", "kafkatrial run "+args[0], "") + table(labels, results, asked), err
}

func table(labels []string, results []*scenarios.Result, asked []checker.Claim) string {
	columns := columnsOf(results, asked)
	var b strings.Builder
	b.WriteString("| run |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)))
	for i, r := range results {
		fmt.Fprintf(&b, "\n| %s |", labels[i])
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", cell(r, c))
		}
	}
	return b.String()
}

// generations is a table of what a scenario comes to under other releases, each with its own rules and
// defaults.
func generations(args []string) (string, error) {
	if len(args) < 2 {
		return "", errors.New("expected the name of a scenario and releases")
	}
	var labels []string
	var results []*scenarios.Result
	for _, v := range args[1:] {
		r, err := runWith(args[0], scenarios.Options{Kafka: v})
		if err != nil {
			return "", err
		}
		labels = append(labels, "Kafka "+scenarios.Release(v))
		results = append(results, r)
	}
	asked, err := inQuestion(args[0])
	return caption(args[0], "", "kafkatrial run "+args[0]+" --kafka RELEASE", "") + table(labels, results, asked), err
}

// try says what a scenario comes to with other settings, and the command that shows it: the answer to an
// exercise.
func try(args []string) (string, error) {
	var kafka, set string
	rest, err := flags(args, map[string]*string{"kafka": &kafka, "set": &set})
	if err != nil {
		return "", err
	}
	if len(rest) != 1 {
		return "", errors.New("expected the name of one scenario")
	}
	o := scenarios.Options{Kafka: kafka}
	command := "kafkatrial run " + rest[0]
	if kafka != "" {
		command += " --kafka " + kafka
	}
	for _, s := range strings.Fields(set) {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return "", fmt.Errorf("--set %s: expected KEY=VALUE", s)
		}
		o.Set = append(o.Set, scenarios.Setting{Key: key, Value: value})
		command += " --set " + s
	}
	r, err := runWith(rest[0], o)
	if err != nil {
		return "", err
	}
	asked, err := inQuestion(rest[0])
	if err != nil {
		return "", err
	}
	var words []string
	for _, c := range columnsOf([]*scenarios.Result{r}, asked) {
		words = append(words, fmt.Sprintf("%s %s", c, cell(r, c)))
	}
	return "`" + command + "`: " + strings.Join(words, ", ") + ".", nil
}

func runWith(name string, o scenarios.Options) (*scenarios.Result, error) {
	opened, err := scenarios.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := scenarios.New(opened.File, o)
	if err != nil {
		return nil, err
	}
	r.Finish()
	res := r.Result()
	return &res, nil
}

// columnsOf lists the claims to show: the three famous ones, those in question, and those that do not hold in each run.
func columnsOf(results []*scenarios.Result, asked []checker.Claim) (columns []checker.Claim) {
	for _, row := range checker.Rows() {
		c := row.Name
		wanted := row.Famous || slices.Contains(asked, c)
		for _, r := range results {
			overall, judged := r.Report.Overall(c)
			wanted = wanted || judged && overall != checker.Holds
		}
		if wanted {
			columns = append(columns, c)
		}
	}
	return columns
}

// cell is one verdict in as few words as tell it: "holds", "**violated**", "log holds, app **violated**".
func cell(r *scenarios.Result, c checker.Claim) string {
	if r.Undecided != "" {
		return "undecided"
	}
	log, atLog := r.Report.Find(c, checker.AtLog)
	app, atApp := r.Report.Find(c, checker.AtApplication)
	switch {
	case !atLog && !atApp:
		return "–"
	case format.StatedOnce(string(c)):
		if atLog && (!atApp || log.Ruling == checker.Violated || app.NotObserved) {
			return word(log)
		}
		return word(app)
	case !atApp || atLog && log.Ruling == app.Ruling:
		return word(log)
	case !atLog:
		return word(app)
	}
	return "log " + word(log) + ", app " + word(app)
}

func word(v checker.Verdict) string {
	switch {
	case v.NotObserved:
		return "not observed"
	case v.Ruling == checker.Violated:
		return "**violated**"
	}
	return string(v.Ruling)
}

// questions lists the predictions of a scenario, each with the run's answer behind a fold.
func questions(args []string) (string, error) {
	lang := ""
	rest, err := flags(args, map[string]*string{"lang": &lang})
	if err != nil || len(rest) != 1 {
		return "", errors.New("expected the name of one scenario")
	}
	e, err := ended(rest[0], lang)
	if err != nil {
		return "", err
	}
	if len(e.Predictions) == 0 {
		return "", fmt.Errorf("%s asks for no prediction", rest[0])
	}
	var all []string
	for _, p := range e.Predictions {
		answer := "the run: " + p.Answer
		if p.Answer == "" {
			answer = "the run does not come to it"
		}
		answer += " (`kafkatrial step " + rest[0] + "`)"
		choices := strings.Join(p.Choices, " / ")
		if choices == "" {
			choices = "the answer"
		}
		all = append(all, "> "+strings.Join(strings.Fields(p.Ask), " ")+"\n>\n> <details><summary>"+choices+
			"</summary>\n>\n> "+answer+"\n>\n> </details>")
	}
	return strings.Join(all, "\n\n"), nil
}

// listing is a table of the scenarios that put a statement of a topic on trial, or of all scenarios, with
// their titles in both languages.
func listing(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("expected the number of one topic, or all")
	}
	every := args[0] == "all"
	topic, err := strconv.Atoi(args[0])
	if !every && (err != nil || topic < 1 || topic > len(format.Subjects())) {
		return "", fmt.Errorf("%q is no topic", args[0])
	}
	rows := []string{"| scenario | statements | what happens | 内容 |\n|---|---|---|---|"}
	for _, name := range scenarios.Names() {
		o, err := scenarios.Open(name)
		if err != nil {
			return "", err
		}
		var ids []string
		for _, s := range o.File.Statements {
			if every || strings.HasPrefix(s.ID, args[0]+".") {
				ids = append(ids, s.ID)
			}
		}
		if len(ids) == 0 && !every {
			continue
		}
		zh := o.File.Title.In("zh")
		if zh == o.File.Title.In("en") {
			zh = ""
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", name, strings.Join(ids, ", "), o.File.Title.In("en"), zh))
	}
	return strings.Join(rows, "\n"), nil
}
