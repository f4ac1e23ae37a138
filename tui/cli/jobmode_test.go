package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra/tegratest"
)

// aMode is a mode of the board of files that differs from the one it is found in.
const aMode = "8c/1.34C/0.83G/2.13M"

// A job without end, which says where it is.
const endlessJob = `i=0; while :; do echo '{"event":"minibatch","epoch":0,"batch":'$i',"time_ms":20}'; ` +
	`i=$((i+1)); sleep 0.02; done # DIR`

// modeOfRun is the part of `jtune run --json` about the mode.
type modeOfRun struct {
	Mode *struct {
		Cores int `json:"cores"`
	} `json:"mode"`
	From     string `json:"mode_from"`
	Restored *bool  `json:"restored"`
}

func TestRunInAModeRestoresTheBoard(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	before := tegratest.Contents(t, root)
	for _, c := range []struct {
		name     string
		flags    []string
		code     int
		cores    int
		from     string
		restored any
		max      string // of core 0, as the job sees it
	}{
		{"a mode", []string{"--mode", aMode}, 0, 8, "given", true, "1344000"},
		{"the mode in force", []string{"--mode", "any"}, 0, 0, "present", nil, ""},
		{"no mode", nil, 0, 0, "present", nil, ""},
		{"a job that fails", []string{"--mode", aMode, "--exit-code"}, 7, 8, "given", true, "1344000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := "cat " + filepath.Join(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq") + " >&2"
			if c.code != 0 {
				script += fmt.Sprintf("; exit %d", c.code)
			}
			line := slices.Concat(
				args,
				[]string{"run", "--json", "--no-record"},
				c.flags,
				[]string{"--", "sh", "-c", script},
			)
			r := jtune(t, line...)
			var doc modeOfRun
			if err := json.Unmarshal([]byte(r.out), &doc); r.code != c.code || err != nil {
				t.Fatalf("code %d, %v\n%s%s", r.code, err, r.out, r.err)
			}
			if doc.From != c.from || c.cores > 0 && (doc.Mode == nil || doc.Mode.Cores != c.cores) ||
				(doc.Restored == nil) != (c.restored == nil) || doc.Restored != nil && !*doc.Restored {
				t.Errorf("got %s", r.out)
			}
			must.Contain(t, r.err, c.max)
			same(t, root, before)
		})
	}
}

// best is the answer of the newest search of this job on this board, or of the search for the goal.
func TestRunInTheBestMode(t *testing.T) {
	t.Parallel()
	args := append([]string{"--data-dir", t.TempDir(), "--config", write(t, "")}, smallBoard...)
	with := func(more ...string) []string { return slices.Concat(args, more) }
	must.Contain(t, jtune(t, with("run", "resnet18", "--mode", "best", "--limit", "12 W")...).ends(t, exitFailed).err,
		"jtune tune resnet18 --limit '12 W'")
	found := map[string]any{}
	for _, watts := range []string{"12", "8"} {
		r := jtune(t, with("tune", "resnet18", "--power-limit", watts, "--json")...)
		r.done(t)
		found[watts+" W"] = objectOf(t, r.out)["mode"]
	}
	for limit, mode := range map[string]any{"": found["8 W"], "12 W": found["12 W"], "8 W": found["8 W"]} {
		line := with("run", "resnet18", "--mode", "best", "--json", "--no-record")
		if limit != "" {
			line = append(line, "--limit", limit)
		}
		r := jtune(t, line...)
		r.done(t)
		v := objectOf(t, r.out)
		if fmt.Sprint(v["mode"]) != fmt.Sprint(mode) || v["mode_from"] != "kept" || v["restored"] != true {
			t.Errorf("%s: ran in %v (%v, restored %v), want %v", limit, v["mode"], v["mode_from"], v["restored"], mode)
		}
		line = with("apply", "best", "--yes", "--json")
		if limit != "" {
			line = append(line, "--limit", limit)
		}
		r = jtune(t, line...)
		r.done(t)
		if v = objectOf(t, r.out); fmt.Sprint(v["actual"]) != fmt.Sprint(mode) || v["kept"] != true {
			t.Errorf("%s: applied %v (kept %v), want %v", limit, v["actual"], v["kept"], mode)
		}
	}
	must.Contain(t, jtune(t, with("apply", "best", "--limit", "5 A", "--yes")...).ends(t, exitFailed).err, "no search")
	jtune(t, with("apply", "15W", "--limit", "12 W")...).ends(t, exitUsage)
	jtune(t, with("run", "mobilenet", "--mode", "best")...).ends(t, exitFailed)
}

// A second run that sets a mode is refused and named, one in the mode in force is not.
func TestRunBesideAnotherSetsNoMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args, root := fakeBoard(t, strings.ReplaceAll(endlessJob, "DIR", dir))
	before := tegratest.Contents(t, root)
	first := child(with(args, "run", "job", "--mode", aMode, "--minibatches", "100000")...)
	must.NoError(t, first.Start())
	must.Until(t, "the job runs", func() bool { return len(processes("# "+dir)) > 0 })
	r := jtune(t, with(args, "run", "--mode", "MAXN", "--", "true")...).ends(t, exitNoDevice)
	must.Contain(t, r.err, "run of job in mode "+aMode, fmt.Sprint(first.Process.Pid))
	jtune(t, with(args, "run", "--mode", "any", "--no-record", "--", "true")...).done(t)
	_ = first.Process.Signal(syscall.SIGTERM)
	exited(t, first.Wait(), exitInterrupted)
	same(t, root, before)
}

// Any of jtune, its guard, the guard's watchdog and the job are killed with -9, in any order and at any moment: every
// file is restored, where all died by the next jtune revert.
func TestRunInAModeIsRestoredWhenKilled(t *testing.T) {
	t.Parallel()
	rounds := 4
	switch {
	case os.Getenv("JTUNE_LONG") != "":
		rounds = 200
	case testing.Short():
		rounds = 1
	}
	rounds, seed := reliability.Rounds(rounds)
	rng := rand.New(rand.NewPCG(50, seed))
	dir := t.TempDir()
	args, root := fakeBoard(t, strings.ReplaceAll(endlessJob, "DIR", dir))
	before := tegratest.Contents(t, root)
	for round := range rounds {
		client := child(with(args, "run", "job", "--mode", aMode, "--minibatches", "100000",
			"--no-record")...)
		must.NoError(t, client.Start())
		time.Sleep(time.Duration(rng.Int64N(int64(3 * time.Second))))
		all := map[string]func(){
			"jtune":    func() { _ = client.Process.Kill() },
			"guard":    func() { killAll("-stage=serve", "-sysroot="+root) },
			"watchdog": func() { killAll("-stage=watch", "-sysroot="+root) },
			"job":      func() { killAll("# " + dir) },
		}
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range all {
				if !yield(name) {
					return
				}
			}
		})
		rng.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		names = names[:1+rng.IntN(len(names))]
		for _, name := range names {
			all[name]()
			time.Sleep(time.Duration(rng.Int64N(int64(50 * time.Millisecond))))
		}
		if !slices.Contains(names, "jtune") {
			_ = client.Process.Signal(os.Interrupt)
		}
		_ = client.Wait()
		killAll("# " + dir) // a job outlives a killed jtune, as without a mode
		must.Until(t, "its guards have ended", func() bool { return len(processes("-sysroot="+root)) == 0 })
		if slices.Contains(names, "guard") && slices.Contains(names, "watchdog") {
			_ = jtune(t, with(args, "revert")...)
		}
		if left := tegratest.Differences(before, tegratest.Contents(t, root)); len(left) > 0 {
			t.Fatalf("round %d, kill -9 of %v: %v", round, names, left)
		}
	}
}

func killAll(words ...string) {
	for _, pid := range processes(words...) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// systemd reads the printed unit as it is meant (where it is installed).
func TestRunPrintsAUnit(t *testing.T) {
	t.Parallel()
	r := jtune(t, "run", "--systemd", "train", "--mode", "best", "--", "python3", "my train.py", "100%")
	r.done(t)
	must.Contain(t, r.out, " run --mode best --", ` -- python3 "my train.py" "100%%"`+"\n", "KillMode=process\n",
		fmt.Sprintf("\nSuccessExitStatus=%d\n", exitInterrupted), "\nWantedBy=multi-user.target\n",
		"\nWorkingDirectory=/")
	check, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here")
		return
	}
	file := filepath.Join(t.TempDir(), "train.service")
	must.NoError(t, os.WriteFile(file, []byte(r.out), 0o644))
	if said, err := exec.Command(check, "verify", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

func objectOf(t *testing.T, out string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return v
}
