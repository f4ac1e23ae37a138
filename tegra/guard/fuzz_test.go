package guard

import (
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// FuzzSavedState gives a guard any saved state: restoring it must touch no
// file besides the knobs.
func FuzzSavedState(f *testing.F) {
	tree := tegratest.New("nano-32")
	tree.Set("/etc/passwd", "root")
	board := tegratest.NewMemory(tree)
	st, err := stateStore(tegra.DiskFS(f.TempDir()), true) // on the disk
	must.NoError(f, err)
	first := must.Get(NewServer(board, tegra.RealClock(), ServerOptions{}))(f)
	first.store = st
	for _, text := range []string{"", "{}", "null", `{"state":{"files":null},"pid":-1}`,
		`{"state":{"files":[{"path":"/etc/passwd","value":"x"}]}}`,
		`{"state":{"files":[{"path":"` + tegratest.CPU + `/cpu1/../../../../../etc/passwd","value":"x"}]}}`,
		`{"state":{"files":[{"path":"` + tegratest.GPUNano + `/max_freq","value":"1\n2"},{"path":"` + tegratest.CPU +
			`/cpu3/online","value":"0"}]}}`,
		`{"state":{"files":[{"path":"` + tegratest.EMCNano + `/clk_state","value":"1"},{"path":"` + tegratest.EMCNano +
			`/clk_update_rate","value":"-5"}]},"when":"x"}`,
		`{"state":{"files":[{"path":"` + tegratest.EMCNano + `/clk_state","value":"1"},{"path":"` + tegratest.EMCNano +
			`/clk_update_rate"}]}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		must.NoError(t, os.WriteFile(st.path(foundFile), []byte(text), 0o644))
		s := fresh(first)
		_, _ = s.recoverPending()
		s.sysfs.Close()
		knobs := map[string]bool{}
		if now, err := s.snapshot(); err == nil {
			for _, k := range now.Files {
				knobs[k.Path] = true
			}
		}
		for name, text := range board.Changes() {
			if !knobs[strings.Replace(name, "/cpufreq/policy0/", "/cpu0/cpufreq/", 1)] {
				t.Errorf("written besides the knobs: %s = %q", name, text)
			}
		}
		board.Reset()
	})
}

// fresh returns a server as NewServer does, of the board that s has opened: opening it takes most of an execution. A
// board that was closed opens its files again when they are read.
func fresh(s *Server) *Server {
	return &Server{fs: s.fs, sysfs: s.sysfs, planner: s.planner, preset: s.preset, store: s.store, pause: s.pause,
		flush: s.flush, undo: s.undo, owed: map[string]bool{}, wrote: map[string]string{}, events: func(response) {}}
}

// FuzzAnswers gives a client any answers: it must neither crash nor wait.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"event":"ready","pid":1}` + "\n" + `{"id":1,"applied":{"asked":null,"files":null}}` + "\n")
	f.Add(`{"event":"ready"}` + "\n" + `{"id":1,"error":"x","code":"busy"}` + "\n" + `{"event":"reverted"}` + "\n" +
		`{"event":"ended","error":"y"}` + "\n")
	f.Add("\x00\n{}\n[]\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		c, err := connect(discard{}, strings.NewReader(text))
		if err != nil {
			return
		}
		c.OnRevert(func(tegra.Applied, error) {})
		_, _ = c.Restore(t.Context())
		_ = c.Close()
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
