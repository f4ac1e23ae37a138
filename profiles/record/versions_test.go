package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
)

// A folder may come from anyone: to open a pipe for reading waits for a writer.
func TestVersionsOfAPipeAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, unix.Mkfifo(filepath.Join(dir, runsName), 0o600))
	done := make(chan string, 1)
	go func() { done <- Framework(Versions(dir)) }()
	select {
	case got := <-done:
		if got != "" {
			t.Errorf("got %q", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("waits for a writer of the pipe")
	}
}

// Lines of an earlier version are shorter, and a first run may have said nothing.
func TestVersionsAreThoseOfTheFirstRunThatToldAny(t *testing.T) {
	t.Parallel()
	at := slices.Index(runColumns, "versions")
	line := func(versions string, n int) string {
		f := make([]string, n)
		if at < n {
			f[at] = versions
		}
		return strings.Join(f, ",")
	}
	head := strings.Join(runColumns, ",")
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"no file": {nil, ""},
		"no run":  {[]string{head}, ""},
		"a line without any": {[]string{head, line("", at), line("torch 2.0.0 on cuda; CUDA 11.4", at+1)},
			"torch 2.0.0 on cuda; CUDA 11.4"},
		"a line that ends": {[]string{head, line("", at)}, ""},
		"the first that tells": {[]string{head, line("", at+1),
			line("torch 2.0.0; L4T 35.1; kernel 5.10; JetPack 5; CUDA 11.4", at+1), line("torch 1.9",
				at+1)}, "torch 2.0.0; CUDA 11.4"},
	} {
		dir := t.TempDir()
		if c.lines != nil {
			text := strings.Join(c.lines, "\n") + "\n"
			must.NoError(t, os.WriteFile(filepath.Join(dir, runsName), []byte(text), 0o644))
		}
		if got := Framework(Versions(dir)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
