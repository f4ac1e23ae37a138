package tomlfile

import (
	"strings"
	"testing"
)

func TestErrorsSayWhatToWrite(t *testing.T) {
	t.Parallel()
	type file struct {
		Command []string
		Pattern string
		Batch   int
		Rate    float64
		On      bool
	}
	for text, want := range map[string]string{
		`command = "python3 train.py"`:   `line 1: command: write a list, such as ["python3", "train.py"]`,
		`pattern = "\[(\d+)"`:            `line 1: pattern: write an expression in single quotes`,
		`pattern = 8`:                    "line 1: pattern: write the value in quotes",
		`batch = "8"`:                    "line 1: batch: write a whole number without quotes",
		`rate = "8"`:                     "line 1: rate: write a number without quotes",
		`on = "yes"`:                     "line 1: on: write true or false without quotes",
		`pattern = tqdm`:                 "line 1: pattern: write text in quotes",
		"batch = 8\nbatch = 9":           "line 2: batch: it is defined twice; keep one of them",
		"pattern = \"tqdm\non = true":    "line 1: pattern: close the quotes",
		"command = [\"a\" \"b\"]":        "line 1: command: separate the entries with commas",
		"on true":                        "line 1: write KEY = VALUE",
		"on = true pattern = 'a'":        "line 1: write one KEY = VALUE on each line",
		"[workload\non = true":           "line 2: close the name of the table with ]",
		"batch = 8\n[batch]\nsize = 8\n": "line 2: it is defined twice",
	} {
		var f file
		_, err := Decode("config.toml", text, &f)
		if err == nil || !strings.HasPrefix(err.Error(), "config.toml: "+want) ||
			strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "TOML") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
