package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/tegratest"
	"jtune/tui/session/fleet/fleettest"
)

// asJtune makes the test program behave like jtune.
const asJtune = "JTUNE_TEST_MAIN"

// TestMain makes the test program its own guard, like jtune. The tests do not see the settings and records of the user
// who runs them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" || os.Getenv(asJtune) != "" {
		os.Exit(Main())
	}
	remove := testhome.Set()
	testhome.Together(8)
	code := m.Run()
	remove()
	fleettest.Clean()
	os.Exit(code)
}

// child is jtune as a process of its own.
func child(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asJtune+"=1")
	return cmd
}

// childOfSmallFiles can write no file of more than some blocks of 512 bytes, like on a full disk.
func childOfSmallFiles(blocks int, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks)
	cmd := exec.Command("/bin/sh", slices.Concat([]string{"-c", script, os.Args[0]}, args)...)
	cmd.Env = append(os.Environ(), asJtune+"=1")
	return cmd
}

// computes skips a test when only data races are tested. It takes long because of learn and optimize, whose own tests
// cover their only way of sharing work among goroutines.
func computes(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("computes what the tests of learn and optimize do")
	}
}

// outcome is the result of a command line.
type outcome struct {
	code     int
	out, err string
}

// jtune runs a command line like a script, with its own data directory unless the arguments name one.
func jtune(t testing.TB, args ...string) outcome {
	t.Helper()
	return jtuneWith(t, t.Context(), strings.NewReader(""), args...)
}

func jtuneWith(t testing.TB, ctx context.Context, stdin io.Reader, args ...string) outcome {
	t.Helper()
	var out, err safeBuffer
	code := jtuneOn(t, ctx, stdin, &out, &err, args...)
	return outcome{code, out.String(), err.String()}
}

// jtuneOn is jtuneWith that writes to streams.
func jtuneOn(t testing.TB, ctx context.Context, stdin io.Reader, out, err io.Writer, args ...string) int {
	t.Helper()
	all := args
	if !strings.Contains(strings.Join(args, " "), "--data-dir") {
		at := slices.Index(args, "--") // the rest is a user's command
		if at < 0 {
			at = len(args)
		}
		all = slices.Concat(args[:at], []string{"--data-dir", t.TempDir(), "--log-file",
			filepath.Join(t.TempDir(), "log")}, args[at:])
	}
	return Run(ctx, all, stdin, out, err)
}

// Run runs one command line and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return (&app{in: stdin, out: stdout, err: stderr, line: args}).execute(ctx)
}

// requestOf returns the request of a command line, which measures nothing.
func requestOf[T any](t testing.TB, args ...string) (request T) {
	t.Helper()
	var out, err safeBuffer
	a := &app{in: strings.NewReader(""), out: &out, err: &err, line: args, runF: func(r any) error {
		request = r.(T)
		return nil
	}}
	if code := a.execute(t.Context()); code != exitOK || out.String() != "" {
		t.Fatalf("exit code %d: %s%s", code, out.String(), err.String())
	}
	return request
}

// screen is a terminal of a width.
type screen struct {
	safeBuffer
	width int
}

func (s *screen) Columns() int { return s.width }

// safeBuffer can be read by the test while the command writes to it.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// ends fails the test unless the command ended with an exit code.
func (o outcome) ends(t testing.TB, code int) outcome {
	t.Helper()
	if o.code != code {
		t.Fatalf("got exit code %d, want %d; stdout: %s stderr: %s", o.code, code, o.out, o.err)
	}
	return o
}

// done fails the test unless the command succeeded.
func (o outcome) done(t testing.TB) outcome {
	t.Helper()
	return o.ends(t, exitOK)
}

// fails checks exit code and error: one line on stderr that contains each word.
func (o outcome) fails(t testing.TB, code int, words ...string) {
	t.Helper()
	last := strings.TrimSuffix(o.ends(t, code).err, "\n")
	must.Contain(t, last[strings.LastIndex(last, "\n")+1:], words...)
}

// object decodes a JSON document and checks that it has exactly these keys.
func (o outcome) object(t testing.TB, keys string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(o.out), &v); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, o.out)
	}
	hasKeys(t, v, keys)
	return v
}

// tunedInWords searches, and returns the answer in words and the campaign's document of it, which equals that of --json
// (TestCampaignsAreListedRenamedDeletedAndRestored). The line names its data directory.
func tunedInWords(t testing.TB, keys string, line ...string) (words string, answer map[string]any) {
	t.Helper()
	words = jtune(t, line...).done(t).out
	data := following(line, "--data-dir")
	search := searchOf(t, data, "tune")
	shown := decoded[map[string]any](t, []string{"campaigns", "show", search, "--json", "--data-dir", data})
	return words, hasKeys(t, shown["answer"], keys)
}

// hasKeys checks that an object has exactly the named keys.
func hasKeys(t testing.TB, v any, keys string) map[string]any {
	t.Helper()
	object, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("got %v, want a JSON object with %s", v, keys)
	}
	want := map[string]bool{}
	for _, k := range strings.Fields(keys) {
		want[k] = true
		if _, ok := object[k]; !ok {
			t.Errorf("key %q is missing", k)
		}
	}
	for k := range object {
		if !want[k] {
			t.Errorf("key %q is not in the contract", k)
		}
	}
	return object
}

func array(t testing.TB, text string) []map[string]any {
	t.Helper()
	var v []map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not one JSON array: %v\n%.200s", err, text)
	}
	return v
}

// write puts text into a new file.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// edit replaces the text of a file.
func edit(t testing.TB, path string, change func(text string) string) {
	t.Helper()
	must.NoError(t, os.WriteFile(path, []byte(change(string(must.Read(t, path)))), 0o644))
}

// following returns what follows a flag of a line.
func following(line []string, flag string) string { return line[slices.Index(line, flag)+1] }

// rowsIn returns what a campaign has recorded: n rows.
func rowsIn(t testing.TB, dir string, n int) (record.Header, []record.Row) {
	t.Helper()
	head, rows, err := record.Read(dir)
	if err != nil || len(rows) != n {
		t.Fatalf("%s: %d rows, want %d: %v", dir, len(rows), n, err)
	}
	return head, rows
}

// exited checks how a process has ended: with an exit code, or -1 by a signal.
func exited(t testing.TB, ended error, code int) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(ended, &exit) || exit.ExitCode() != code {
		t.Errorf("got %v, want exit code %d", ended, code)
	}
}

// toyModes returns a small space of values that an AGX Orin lists.
func toyModes() []tegra.Mode {
	var out []tegra.Mode
	for _, c := range []int{2, 4, 8, 12} {
		for _, p := range []tegra.Freq{729600 * tegra.KHz, 1344000 * tegra.KHz, 2201600 * tegra.KHz} {
			for _, g := range []tegra.Freq{318750000, 726750000, 1300500000} {
				for _, e := range []tegra.Freq{665600000, 3199000000} {
					out = append(out, tegra.Mode{Cores: c, CPU: p, GPU: g, EMC: e})
				}
			}
		}
	}
	return out
}

// toyLaw is a made-up board: the slowest of three resources determines the time; power is static power plus that of the
// clocks.
func toyLaw(m tegra.Mode) tegra.Measured {
	time := 60/m.GPU.GHz() + 150/(float64(m.Cores)*m.CPU.GHz()) + 40/m.EMC.GHz() + 10
	power := 9 + 9*m.GPU.GHz()*m.GPU.GHz() + 0.35*float64(m.Cores)*m.CPU.GHz() + 1.2*m.EMC.GHz()
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: time, PowerW: power}
}

// toySweep writes a sweep file of the made-up board.
func toySweep(t testing.TB) (path string, rows []tegra.Measured) {
	t.Helper()
	for _, m := range toyModes() {
		rows = append(rows, toyLaw(m))
	}
	var b bytes.Buffer
	must.NoError(t, sweeptest.Write(&b, rows))
	path = filepath.Join(t.TempDir(), "toy.csv")
	must.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	return path, rows
}

// replay returns the arguments that open the made-up board.
func replay(path string) []string { return []string{"--device", "replay:" + path, "--speed", "max"} }

func with(args []string, more ...string) []string {
	return append(append([]string{}, args...), more...)
}

// fakeBoard creates a fake root of a Jetson and a configuration with one workload "job", a shell script. The test ends
// when its guards have ended.
func fakeBoard(t testing.TB, script string) (args []string, root string) {
	t.Helper()
	return fakeBoardOf(t, tegratest.NewAGXOrin35(), script)
}

func fakeBoardOf(t testing.TB, tree *tegratest.Tree, script string) (args []string, root string) {
	t.Helper()
	tree.FollowClocks()
	root = tree.Write(t)
	t.Cleanup(func() {
		must.Until(t, "its guards have ended", func() bool { return len(processes("-sysroot="+root)) == 0 })
	})
	config := fmt.Sprintf("[workload.job]\ntitle = \"job\"\nbatch = 16\nsamples = 1600\n"+
		"command = [\"sh\", \"-c\", %q]\n", script)
	return []string{"--sysroot", root, "--config", write(t, config), "--data-dir", t.TempDir(), "--log-file",
		filepath.Join(t.TempDir(), "log")}, root
}
