package record

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
)

func TestFinderLocksOfTheKernelAreReadAndWaitingOnesAreNot(t *testing.T) {
	got := parseLocks(
		"1: POSIX  ADVISORY  WRITE 11 08:01:7 0 EOF\n2: FLOCK  ADVISORY  WRITE 4242 08:01:1311 0 EOF\n2: -> " +
			"FLOCK  ADVISORY  WRITE 4243 08:01:1311 0 EOF\n" +
			"3: FLOCK ADVISORY READ x 08:01:9 0 EOF\n4: FLOCK ADVISORY WRITE 5 nonsense 0 EOF\n5: FLOCK\n\n",
	)
	if diff := cmp.Diff([]lockHeld{{4242, 1311}}, got, cmp.AllowUnexported(lockHeld{})); diff != "" {
		t.Error(diff)
	}
}

func TestFinderCampaignsOfOtherProcessesAreFoundWhereverTheyLie(t *testing.T) {
	if _, err := os.Stat("/proc/locks"); err != nil {
		t.Skip("no /proc/locks here")
	}
	parent, elsewhere := t.TempDir(), t.TempDir()
	mine, free, foreign := filepath.Join(parent, "mine"), filepath.Join(parent,
		"free"), filepath.Join(elsewhere, "foreign")
	for _, dir := range []string{mine, free, foreign} {
		must.NoError(t, os.Mkdir(dir, 0o755))
	}
	lock := must.Get(lockFolder(mine))(t)
	defer func() { _ = unlockFolder(lock) }()
	released := must.Get(lockFolder(free))(t)
	must.NoError(t, unlockFolder(released))
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("no flock(1) to be the other process")
	}
	other := exec.Command("flock", filepath.Join(foreign, lockName), "cat")
	end, err := other.StdinPipe()
	if err == nil {
		err = other.Start()
	}
	must.NoError(t, err)
	defer func() { _ = end.Close(); _ = other.Wait() }()
	var got []Running
	finder := &Finder{Parents: []string{parent}}
	// until it holds the lock
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got = nil
		for _, r := range finder.Running() {
			if r.Dir == foreign || r.Dir == mine || r.Dir == free {
				got = append(got, r)
			}
		}
		if len(got) > 0 {
			break
		}
	}
	if diff := cmp.Diff([]Running{{foreign, other.Process.Pid}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := (&Finder{}).running("/proc", 0) // as another process sees them
	for _, r := range all {
		if r.Dir == mine && r.PID == os.Getpid() {
			all = nil
		}
	}
	if all != nil {
		t.Errorf("the campaign of this process is not among %v", all)
	}

	// A process whose open files cannot be read, as another user's: its folder
	// is found below the parents.
	text := must.Read(t, "/proc/locks")
	proc := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(proc, "locks"), text, 0o644))
	for _, r := range (&Finder{Parents: []string{parent}}).running(proc, 0) {
		if r == (Running{mine, os.Getpid()}) {
			return
		}
	}
	t.Error("a campaign below the parents is not found where its process cannot be looked into")
}
