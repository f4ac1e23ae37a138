package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needsCgroup skips where no control group can be made.
func needsCgroup(t *testing.T) {
	t.Helper()
	dir := newCgroup(cgroupMark(t.Name()))
	if dir == nil {
		t.Skip("no control group (version 2) can be made here, which takes root or a scope of the user's systemd")
	}
	killCgroup(dir.Name(), 0)
	if _, err := os.Stat(dir.Name()); err == nil {
		t.Errorf("%s stays", dir.Name())
	}
	dir.Close()
}

// Processes with neither the job's group nor a variable of its environment.
func TestCgroupEndsWhatLeftTheGroupWithoutEnvironment(t *testing.T) {
	t.Parallel()
	needsCgroup(t)
	endsWithItsJob(t, "setsid env -i")
}

// It does not run beside others: it ends the jobs of every test whose jtune was killed.
func TestCgroupEndsAnOrphanWithoutEnvironment(t *testing.T) {
	needsCgroup(t)
	endsOrphan(t, "exec env -i sh -c 'trap \"\" TERM; echo $$ >job; mv job ready; while :; do sleep 1; done'")
}

func TestCgroupOfAJobIsRemoved(t *testing.T) {
	t.Parallel()
	needsCgroup(t)
	dir := t.TempDir()
	j := sh(t, "until [ -e go ]; do sleep 0.01; done; "+three, ExecOptions{Dir: dir})
	folder := j.group.cgroup.Name()
	if _, err := os.Stat(folder); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all(t, j)
	<-j.ended
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
}

func TestCgroupFolderIsFoundInTheTextsOfProc(t *testing.T) {
	t.Parallel()
	const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	for name, c := range map[string]struct{ mounts, groups, want string }{
		"unified": {unified, "0::/user.slice/user-1000.slice/session-3.scope\n",
			"/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"},
		"at the top": {unified, "0::/\n", "/sys/fs/cgroup"},
		"beside version 1": {"31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
			"43 30 0:39 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"2:cpu:/elsewhere\n1:name=systemd:/\n0::/a\n", "/sys/fs/cgroup/unified/a"},
		"version 1 alone": {"31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "2:cpu:/a\n", ""},
		"a mount of a part": {strings.Replace(unified, " / ", " /docker/1 ", 1), "0::/docker/1/a\n",
			"/sys/fs/cgroup/a"},
		"outside of the mount":      {strings.Replace(unified, " / ", " /docker/1 ", 1), "0::/docker/2\n", ""},
		"outside of the name space": {unified, "0::/../a\n", ""},
		"none":                      {"", "", ""},
	} {
		if got := cgroupFolder(c.mounts, c.groups); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
