package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

const events = `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestLong","Output":"    a_test.go:1: takes minutes\n"}
{"Action":"skip","Package":"p","Test":"TestLong"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`

func reported(t *testing.T, events, skips string) (string, error) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "skips")
	must.NoError(t, os.WriteFile(list, []byte(skips), 0o600))
	var out strings.Builder
	err := run(strings.NewReader(events), &out, list, false)
	return out.String(), err
}

func TestRunTakesSkipsThatAreListed(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"# long\np TestLong\n", "p Test*\n"} {
		out, err := reported(t, events, list)
		if err != nil || out != "ok  \tp\t0.1s\n1 packages, 1 tests skipped, 0 of them not in the list\n" {
			t.Errorf("%q: got %q, %v", list, out, err)
		}
	}
}

func TestRunFailsForASkipThatIsNotListed(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"", "# p TestLong\n", "p TestLonger\n", "q TestLong\n"} {
		out, err := reported(t, events, list)
		if err == nil || !strings.Contains(out, "p TestLong: a_test.go:1: takes minutes") {
			t.Errorf("%q: got %q, %v; want the test and its reason", list, out, err)
		}
		file := filepath.Join(t.TempDir(), "skips")
		must.NoError(t, os.WriteFile(file, []byte(list), 0o600))
		var warned strings.Builder
		if err := run(strings.NewReader(events), &warned, file, true); err != nil ||
			!strings.Contains(warned.String(), "p TestLong") {
			t.Errorf("%q: with a warning got %q, %v", list, &warned, err)
		}
	}
}

func TestRunPrintsWhatFailed(t *testing.T) {
	t.Parallel()
	failing := strings.NewReplacer(
		`{"Action":"pass","Package":"p","Test":"TestGood"}`,
		`{"Action":"output","Package":"p","Test":"TestGood","Output":"    a_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestGood"}`,
		`"ok  \tp\t0.1s\n"`, `"FAIL\tp\t0.1s\n"`,
		`{"Action":"pass","Package":"p"}`, `{"Action":"fail","Package":"p"}`).Replace(events)
	out, err := reported(t, failing, "p TestLong")
	if err == nil || !strings.Contains(out, "got 1, want 2") || !strings.Contains(out, "FAIL\tp") ||
		!strings.Contains(err.Error(), "p TestGood") {
		t.Errorf("got %q, %v", out, err)
	}
}

// A test that ends with a panic has no result of its own.
func TestRunPrintsATestThatAPanicEnded(t *testing.T) {
	t.Parallel()
	out, err := reported(t, `{"Action":"output","Package":"p","Test":"TestX","Output":"panic: no\n"}
{"Action":"fail","Package":"p"}
`, "")
	if err == nil || !strings.Contains(out, "panic: no") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestRunFailsWithoutAResult(t *testing.T) {
	t.Parallel()
	if out, err := reported(t, "go: no such package\n", ""); err == nil || !strings.Contains(out, "no such package") {
		t.Errorf("got %q, %v", out, err)
	}
}
