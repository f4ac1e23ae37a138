package fleet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
)

// screenAndKeys is a terminal of a test: what was written to it, and nobody at its keys until it is cancelled.
type screenAndKeys struct {
	mu        sync.Mutex
	written   bytes.Buffer
	cancelled chan struct{}
}

func newTerminal() *screenAndKeys { return &screenAndKeys{cancelled: make(chan struct{})} }

func (s *screenAndKeys) Read([]byte) (int, error) {
	<-s.cancelled
	return 0, io.EOF
}

func (s *screenAndKeys) Cancel() bool {
	close(s.cancelled)
	return true
}

func (s *screenAndKeys) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.Write(p)
}

// show shows a board's screens once and gives what they wrote.
func show(t *testing.T, p *Panes, name string) (string, error) {
	t.Helper()
	sizes := make(chan Size, 1)
	sizes <- Size{80, 24}
	at := newTerminal()
	err := p.Show(t.Context(), name, at, at, sizes)
	return at.written.String(), err
}

// TestPanesGoOnWhileNobodyLooks has a script in the place of ssh: it draws, hands the terminal back, works
// on, draws again, and ends with an error.
func TestPanesGoOnWhileNobodyLooks(t *testing.T) {
	dir := t.TempDir()
	worked := filepath.Join(dir, "worked")
	script := `#!/bin/sh
printf 'first'
printf '\033]5379;jtune;boards\033\\'
touch ` + worked + `
read line
printf 'second'
echo 'jtune: the board is gone' >&2
exit 4
`
	must.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	p := &Panes{Boards: []Board{{Name: "a", SSH: "h"}, {Name: "b", SSH: "h"}}}
	t.Cleanup(p.Close)
	if got, err := show(t, p, "a"); got != "first" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	must.Exist(t, worked)
	if names := p.Open(); !slices.Equal(names, []string{"a"}) || p.State("a") != "open" || p.State("b") != "" {
		t.Errorf("open are %v: %q, %q", names, p.State("a"), p.State("b"))
	}
	got, err := show(t, p, "a")
	if !strings.Contains(got, "second") || err == nil || err.Error() != "secondjtune: the board is gone" {
		t.Errorf("%q, %v", got, err)
	}
	if len(p.Open()) > 0 || p.State("a") != err.Error() {
		t.Errorf("%v, %q", p.Open(), p.State("a"))
	}
	must.Fail(t, must.Err(show(t, p, "c")), "it has a, b")
}

func TestPanesSayWhySSHFailed(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'ssh: connect to host h port 22: Connection refused' >&2\nexit 255\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700))
	t.Setenv("PATH", dir)
	p := &Panes{Boards: []Board{{Name: "a", SSH: "h"}}}
	if _, err := show(t, p, "a"); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "Connection refused") {
		t.Error(err)
	}
}

// TestPaneHandsTheTerminalBackWhereverItsOutputIsCut: what is drawn before comes through whole.
func TestPaneHandsTheTerminalBackWhereverItsOutputIsCut(t *testing.T) {
	t.Parallel()
	const drawn = "\x1b[1mbold\x1b[m \x1b]0;title\x07 text"
	text := drawn + leave
	for i := range len(text) {
		for j := i; j < len(text); j++ {
			var out bytes.Buffer
			p := &pane{out: &out, left: make(chan struct{})}
			for _, part := range []string{text[:i], text[i:j], text[j:]} {
				p.pass([]byte(part))
			}
			select {
			case <-p.left:
			default:
				t.Fatalf("cut at %d and %d: not handed back", i, j)
			}
			if out.String() != drawn {
				t.Fatalf("cut at %d and %d: %q", i, j, out.String())
			}
			p.pass([]byte("more"))
			if out.String() != drawn {
				t.Fatal("drawn after it was handed back")
			}
		}
	}
}

// A helper that ssh has left holds its terminal.
func TestPaneClosesThoughAnotherProcessHoldsItsTerminal(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nsetsid sh -c 'echo $$ > " + dir + "/pid; exec sleep 600' &\n" +
		"while [ ! -s " + dir + "/pid ]; do sleep 0.01; done\nprintf '\\033]5379;jtune;boards\\033\\\\'\nread line\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	p := &Panes{Boards: []Board{{Name: "a", SSH: "h"}}}
	_, err := show(t, p, "a")
	must.NoError(t, err)
	at := p.open["a"]
	closed := make(chan struct{})
	go func() {
		at.close(10 * time.Millisecond)
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("it waits for the other process")
	}
	text := must.Read(t, filepath.Join(dir, "pid"))
	helper := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	must.NoError(t, syscall.Kill(helper, syscall.SIGKILL))
	<-at.ended
}
