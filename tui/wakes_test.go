package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// Bounds of the Live page at 80x24 and one refresh a second, which a busy machine does not change: an idle core costs
// the board nothing until it is woken (docs/decisions/001-own-renderer.md).
const (
	mostWakesPerS = 75 // voluntary context switches of all threads
	mostBytesPerS = 2000
)

// pacedJob reports a minibatch every 60 ms, like ResNet-18 on an AGX Orin.
const pacedJob = `[workload.paced]
command = ["sh", "-c", '''
echo '{"event":"hello","protocol":1,"workload":"paced","batch_size":16}'
n=0
while sleep 0.06; do
  echo '{"event":"minibatch","epoch":0,"batch":'$n',"time_ms":60,"fetch_ms":3.1,"compute_ms":55,"t":'$(date +%s.%N)'}'
  n=$((n+1))
done''']
batch = 16
samples = 50000
`

func TestTmuxWakesTheMachineSeldomAndWritesLittle(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(config, []byte(pacedJob), 0o644))
	for name, c := range map[string]struct {
		flags, keys []string
		shows       string
		simulated   bool // the board and its job wake this process too
	}{
		"idle": {flags: []string{"--sysroot", tegratest.AGXOrin353(t)}, shows: "module total"},
		"beside a job": {[]string{"--sysroot", tegratest.AGXOrin353(t), "--config", config},
			[]string{"2", "g", "Enter", "1"}, "training, paced", false},
		"virtual": {[]string{"--device", "virtual:agx-orin"}, []string{"2", "Enter", "1"}, "training, resnet18",
			true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := inTmux(t, "", c.flags...)
			s.sees("module total")
			s.press(c.keys...)
			s.sees(c.shows)
			var wakes, bytes int
			for range 3 { // a program that starts slowly on a busy machine is measured again
				time.Sleep(3 * time.Second)
				if wakes, bytes = s.costs(3); bytes <= mostBytesPerS && (c.simulated || wakes <= mostWakesPerS) {
					if wakes == 0 || bytes == 0 {
						t.Error("it neither woke nor wrote")
					}
					return
				}
			}
			t.Errorf("%d wake-ups and %d bytes a second", wakes, bytes)
		})
	}
}

// costs returns how often the program wakes, and how much it writes, in a second of some.
func (s *terminal) costs(seconds int) (wakes, bytes int) {
	s.t.Helper()
	out := filepath.Join(s.t.TempDir(), "out")
	s.tmux("pipe-pane", "cat > "+out)
	before := s.wakes()
	time.Sleep(time.Duration(seconds) * time.Second)
	wakes = s.wakes() - before
	s.tmux("pipe-pane") // ends it
	return wakes / seconds, len(must.Read(s.t, out)) / seconds
}

// wakes counts the voluntary context switches of the program's threads.
func (s *terminal) wakes() (sum int) {
	s.t.Helper()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.pid)) // the pattern is valid
	for _, path := range threads {
		status, _ := os.ReadFile(path) // a thread may have ended
		if _, after, ok := strings.Cut(string(status), "\nvoluntary_ctxt_switches:"); ok {
			var n int
			_, err := fmt.Sscan(after, &n)
			must.NoError(s.t, err)
			sum += n
		}
	}
	if sum == 0 {
		s.t.Fatalf("process %d has no threads", s.pid)
	}
	return sum
}
