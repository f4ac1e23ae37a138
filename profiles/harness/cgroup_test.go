package harness

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness/engine"
	"jtune/profiles/harness/process"
)

// needsCgroup skips where no control group can be made.
func needsCgroup(t *testing.T) {
	t.Helper()
	g := must.Get(process.NewGroup(engine.Container{}))(t)
	dir := g.Cgroup()
	g.End()
	if dir == "" {
		t.Skip("no control group (version 2) can be made here, which takes root or a scope of the user's systemd")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s stays", dir)
	}
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
	folder := j.group.Cgroup()
	if _, err := os.Stat(folder); err != nil {
		t.Error(err)
	}
	must.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	all(t, j)
	<-j.ended
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
}
