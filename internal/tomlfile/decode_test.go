package tomlfile

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/tools/reliability"
)

func TestDecodeRefusesWhatTheDecoderWouldChokeOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"brackets":      {"a = " + strings.Repeat("[", 500_000), "line 1: a value is deeper than 32 levels"},
		"inline tables": {"\na = " + strings.Repeat("{a=", 100_000), "line 2: a value is deeper"},
		"a header":      {"[" + strings.Repeat("a.", 100_000) + "a]", "line 1: a key is deeper"},
		"a dotted key": {
			"# x\n'it.' = 1\n\n''" + strings.Repeat(".a", 100_000) + " = 1", "line 4: a key is deeper",
		},
		"many keys":          {numbered("k%d = 1\n", 90_000), "line 10001: more than 10000 keys and tables"},
		"many tables":        {numbered("[t%d]\n", 60_000), "line 10001: more than 10000 keys"},
		"many inline tables": {numbered("a%d = {b = 1, c = 2}\n", 30_000), "line 3334: more than 10000 keys"},
		"a large file":       {"a = '" + strings.Repeat("x", MaxSize) + "'", "larger than 1048576 bytes"},
	} {
		var into map[string]any
		_, err := Decode("f.toml", c.text, &into)
		if err == nil || !strings.HasPrefix(err.Error(), "f.toml: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func numbered(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

func TestDecodeTakesBracketsAndDotsOfStringsAndNumbers(t *testing.T) {
	t.Parallel()
	brackets := strings.Repeat("[{.", 50)
	text := `a = "` + brackets + `\"` + brackets + `" # ` + brackets + "\n" +
		"b = '" + brackets + "'\n" +
		`c = """` + "\n" + brackets + "\n" + `"""` + "\n" +
		"d = [" + strings.Repeat("1.5, ", 100) + "2.5]\n" +
		"[[e]]\nx.y.z = {k.l = 1.5}\n[[e]]\n"
	var into struct {
		A, B, C string
		D       []float64
		E       []map[string]any
	}
	_, err := Decode("f.toml", text, &into)
	if err != nil || into.B != brackets || len(into.D) != 101 || len(into.E) != 2 {
		t.Errorf("%v, %+v", err, into)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("a = 1\n[b.c]\nd = [1.5, {e = 'x'}]\n")
	f.Add(`a = """x""" # y`)
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		var into map[string]any
		if _, err := Decode("f", text, &into); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %q", err)
		}
	})
}

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
