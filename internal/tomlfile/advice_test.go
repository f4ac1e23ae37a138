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
		`command = "python3 train.py"`: `write a list: ["python3", "train.py"]`,
		`pattern = "\[(\d+)"`:          "single quotes",
		`pattern = 8`:                  "in quotes",
		`batch = "8"`:                  "without quotes",
		`rate = "8"`:                   "without quotes",
		`on = "yes"`:                   "true or false",
		`pattern = tqdm`:               "in quotes",
		"batch = 8\nbatch = 9":         "keep one of them",
	} {
		var f file
		_, err := Decode("config.toml", text, &f)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want an advice with %q", text, err, want)
		}
	}
}
