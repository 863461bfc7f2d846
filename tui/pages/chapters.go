package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

var (
	heading = regexp.MustCompile(`(?m)^### (\d+\.\d+) (.*)$`)
	verdict = regexp.MustCompile(`(?m)^\*\*Verdict: (true|true if [^*]+|out of date|false)\.\*\*`)
)

// statements is a table of the statements of chapters with their verdicts, as the chapters have them.
func statements(dir string, files []string) (string, error) {
	rows := []string{"| | statement | 说法 | verdict |\n|---|---|---|---|"}
	for _, file := range files {
		src, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return "", err
		}
		text := string(src)
		found := heading.FindAllStringSubmatchIndex(text, -1)
		for i, at := range found {
			end := len(text)
			if i+1 < len(found) {
				end = found[i+1][0]
			}
			v := verdict.FindStringSubmatch(text[at[1]:end])
			if v == nil {
				return "", fmt.Errorf("%s: %s has no verdict", file, text[at[2]:at[3]])
			}
			en, zh := languages(text[at[4]:at[5]])
			rows = append(rows, fmt.Sprintf("| [%s](%s) | %s | %s | %s |", text[at[2]:at[3]], file, en, zh, v[1]))
		}
	}
	return strings.Join(rows, "\n"), nil
}

// languages splits a heading where its Chinese begins: with the word that holds the first Chinese character,
// and with names before it that the Chinese repeats, such as "replica.lag.time.max.ms".
func languages(title string) (en, zh string) {
	words := strings.Fields(title)
	first := len(words)
	for i, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			first = i
			break
		}
	}
	for i := first - 1; i > 0 && first < len(words); i-- {
		if repeated(words[:i], words[i]) && strings.ContainsFunc(words[i], func(r rune) bool { return r == '.' || r == '+' || unicode.IsUpper(r) }) {
			first = i
			continue
		}
		break
	}
	return strings.Join(words[:first], " "), strings.Join(words[first:], " ")
}

func repeated(words []string, word string) bool {
	for _, w := range words {
		if strings.Trim(w, ",;:") == strings.Trim(word, ",;:") {
			return true
		}
	}
	return false
}
