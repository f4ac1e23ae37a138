package guard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// roamingClient prints its guard's pid, then applies one mode after another and prints a line for each until it or its
// guard is killed.
func roamingClient(root string) int {
	ctx := context.Background()
	c, err := Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1],
		LogFile: filepath.Join(root, "run/jtune/guard.log")})
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	s, err := tegra.Open(tegra.DiskFS(root), tegra.RealClock())
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("guard", c.PID())
	space := s.Space()
	modes := append(space.Sample(5, uint64(c.PID())), space.Max(),
		tegra.Mode{Cores: 1, CPU: space.CPU[0], GPU: space.GPU[0], EMC: space.EMC[0]})
	for i := 0; ; i++ {
		fan := []tegra.FanPolicy{tegra.FanMax, tegra.FanUntouched, tegra.FanAuto}[i%3]
		_, err := c.Apply(ctx, tegra.Request{Mode: modes[i%len(modes)], DVFS: i%4 == 3, Fan: fan})
		if errors.Is(err, ErrGone) {
			return 0
		}
		if err != nil {
			fmt.Println("failed:", err)
			return 1
		}
		fmt.Println("applied", modes[i%len(modes)])
	}
}

// victims are the processes killed with -9, in this order.
type victims struct {
	name                    string
	client, guard, watchdog bool
	short, long             int // rounds
}

var killings = []victims{
	{"the client", true, false, false, 6, 200},
	{"the guard", false, true, false, 5, 200},
	{"client and guard", true, true, false, 5, 200},
	{"client, guard and watchdog", true, true, true, 4, 100},
}

// TestGuardRestoresEveryFileWhenKilledAtAnyMoment kills at random moments while modes are being set and wants every
// file of the root restored: by the guard, by its watchdog, or, where both died, by the next start.
func TestGuardRestoresEveryFileWhenKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	for i, v := range killings {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			rounds := v.short
			switch {
			case long:
				rounds = v.long
			case testing.Short():
				rounds = 2
			}
			rounds, seed := reliability.Rounds(rounds)
			rng := rand.New(rand.NewPCG(uint64(i), 2+seed))
			kills := 0
			defer func() { t.Logf("counted %d kills", kills) }()
			boards := []string{"agx-orin-36", "nano-32", "agx-xavier-35", "orin-nano-36", "tx2-32"}
			if rounds < len(boards) {
				boards = boards[i%len(boards):]
			}
			var roots []string
			var found []map[string]string
			for _, name := range boards {
				board, _ := tegratest.BoardNamed(name)
				root := board.New().Write(t)
				roots, found = append(roots, root), append(found, tegratest.Contents(t, root))
			}
			for round := range rounds {
				at := round % len(roots)
				kills += v.kill(t, roots[at], rng)
				if v.watchdog {
					takeUp(t, roots[at])
				}
				wantSame(t, found[at], roots[at], fmt.Sprintf("round %d on %s", round, boards[at]))
				if t.Failed() {
					t.Fatalf("the log of that round ends\n%s", tail(filepath.Join(roots[at], "run/jtune/guard.log")))
				}
			}
		})
	}
}

// kill runs one client and kills at a moment of chance. It returns how many processes it killed.
func (v victims) kill(t *testing.T, root string, rng *rand.Rand) (kills int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asRoamer+"="+root)
	out := must.Get(cmd.StdoutPipe())(t)
	must.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var pid int
	if !lines.Scan() || !scan(lines.Text(), &pid) {
		t.Fatalf("the client says %q; its guard's log ends\n%s", lines.Text(),
			tail(filepath.Join(root, "run/jtune/guard.log")))
	}
	watchdog := 0
	if v.watchdog {
		watchdog = watchdogOf(t, pid, root)
	}
	for range rng.IntN(4) {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "applied") {
			t.Fatalf("the client says %q", lines.Text())
		}
	}
	time.Sleep(time.Duration(rng.IntN(9000)) * time.Microsecond)
	if v.watchdog && signalTo(watchdog, syscall.SIGKILL) == nil {
		kills++
	}
	if v.guard {
		must.NoError(t, signalTo(pid, syscall.SIGKILL))
		kills++
	}
	if v.client && cmd.Process.Kill() == nil {
		kills++
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "failed") {
			t.Error(lines.Text())
		}
	}
	_ = cmd.Wait()
	waitFree(t, root)
	return kills
}

func scan(line string, pid *int) bool {
	n, err := fmt.Sscanf(line, "guard %d", pid)
	return n == 1 && err == nil
}

// takeUp is the next start: it is offered the state that the dead left, if
// they had begun to write.
func takeUp(t *testing.T, root string) {
	t.Helper()
	left := must.Get(PendingRestore(root))(t)
	c := startGuard(t, root)
	if c.HasPending() != (left != nil) {
		t.Errorf("offered: %v, saved: %v", c.HasPending(), left != nil)
	}
	if left != nil {
		if _, err := c.RestorePending(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	waitFree(t, root)
	if left, _ = PendingRestore(root); left != nil {
		t.Error("still offered after it was restored")
	}
}

func tail(name string) string {
	data, _ := os.ReadFile(name)
	return string(data[max(0, len(data)-6000):])
}
