package process

import (
	"strings"
	"testing"
)

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

// No variable of the environment chooses which variable of a job is replaced.
func TestRunVariableIsOurs(t *testing.T) {
	t.Setenv("JTUNE_MARK", "HOME")
	if name := runVariable(); !strings.HasPrefix(name, "JTUNE_RUN") {
		t.Errorf("a job's %s is replaced", name)
	}
}
