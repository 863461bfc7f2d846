package config

import (
	"testing"

	"kafkatrial/model/generation"
)

func TestEveryDefaultParsesInEveryVersion(t *testing.T) {
	for s := Section(0); s < sections; s++ {
		for _, line := range []string{"0.8", "0.8.2", "0.9", "0.10.0", "0.10.1", "0.10.2", "0.11", "1.0", "2.0", "2.8", "3.0.0", "3.9", "4.0", "4.3"} {
			v, err := generation.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			New(s, v)
		}
	}
}
