package release

import "strings"

// releases are all that came out, oldest first, as the tags of Kafka's repository and the versions of the artifacts kafka_2.8.0 to
// kafka_2.13 name them. Betas and candidates are no releases.
var releases = list(`
	0.8.0
	0.8.1.0 0.8.1.1
	0.8.2.0 0.8.2.1 0.8.2.2
	0.9.0.0 0.9.0.1
	0.10.0.0 0.10.0.1
	0.10.1.0 0.10.1.1
	0.10.2.0 0.10.2.1 0.10.2.2
	0.11.0.0 0.11.0.1 0.11.0.2 0.11.0.3
	1.0.0 1.0.1 1.0.2
	1.1.0 1.1.1
	2.0.0 2.0.1
	2.1.0 2.1.1
	2.2.0 2.2.1 2.2.2
	2.3.0 2.3.1
	2.4.0 2.4.1
	2.5.0 2.5.1
	2.6.0 2.6.1 2.6.2 2.6.3
	2.7.0 2.7.1 2.7.2
	2.8.0 2.8.1 2.8.2
	3.0.0 3.0.1 3.0.2
	3.1.0 3.1.1 3.1.2
	3.2.0 3.2.1 3.2.2 3.2.3
	3.3.0 3.3.1 3.3.2
	3.4.0 3.4.1
	3.5.0 3.5.1 3.5.2
	3.6.0 3.6.1 3.6.2
	3.7.0 3.7.1 3.7.2
	3.8.0 3.8.1
	3.9.0 3.9.1 3.9.2
	4.0.0 4.0.1 4.0.2
	4.1.0 4.1.1 4.1.2
	4.2.0 4.2.1 4.2.2
	4.3.0 4.3.1
	4.4.0
`)

// Lines gives all releases, those of one line together, oldest first.
func Lines() (lines []Releases) {
	for i, v := range releases {
		if i == 0 || !v.line(releases[i-1]) {
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], v)
	}
	return lines
}

// list reads the table.
func list(text string) (all []Version) {
	for _, name := range strings.Fields(text) {
		n, ok := numbers(name)
		if !ok {
			panic("generation: " + name + " is no release")
		}
		v := Version{Major: n[0], Minor: n[1], Patch: n[2]}
		if len(n) > 3 {
			v.Fix = n[3]
		}
		all = append(all, v)
	}
	return all
}
