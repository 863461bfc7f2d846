package main

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// jobSchema is the schema of a Job of the Kubernetes API, release 1.31, made from the Go types of
// k8s.io/api/batch/v1: every field by its name and type, and no others.
const jobSchema = "testdata/kubernetes/job-1.31.schema.json"

func checkJob(t *testing.T, src string) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(jobSchema)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// TestTheManifestOfAHunt: the Job in docs is one that Kubernetes accepts, field by field, and its shards are all
// there is.
func TestTheManifestOfAHunt(t *testing.T) {
	src, err := os.ReadFile("../../docs/hunt-job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	if err := checkJob(t, text); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][2]string{{"completionMode", "completionmode"}, {"completions: 8", "completions: eight"}, {"mountPath", "path"}} {
		if checkJob(t, strings.Replace(text, wrong[0], wrong[1], 1)) == nil {
			t.Errorf("%s in place of %s is not noticed", wrong[1], wrong[0])
		}
	}
	if !strings.Contains(text, "completions: 8") || !strings.Contains(text, "/8 ") {
		t.Error("there are not as many shards as completions")
	}
	guide, err := os.ReadFile("../../docs/hunting.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), "hunt-job.yaml") {
		t.Error("docs/hunting.md does not speak of the manifest")
	}
}
