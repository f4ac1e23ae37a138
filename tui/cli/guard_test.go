package cli

import (
	"path/filepath"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// A session lasts for hours; if its guard is killed, it must still be able to set modes.
func TestDeadGuardIsReplaced(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := must.Get(session.Open(session.Options{Sysroot: root, Paths: config.Paths{DataDir: t.TempDir(),
		LogFile: filepath.Join(t.TempDir(), "log")}}))(t)
	defer s.Close()
	before := tegratest.Contents(t, root)
	set := func() *guard.Client {
		t.Helper()
		g := must.Get(s.Guard(t.Context()))(t)
		m, err := s.Device.Space().Parse("8c/1.34C/0.83G/2.13M")
		must.NoError(t, err)
		_, err = g.Apply(t.Context(), tegra.Request{Mode: m})
		must.NoError(t, err)
		return g.(*guard.Client)
	}
	first := set()
	if again := set(); again != first {
		t.Error("a living guard was replaced")
	}
	must.NoError(t, syscall.Kill(first.PID(), syscall.SIGKILL))
	if _, err := first.Restore(t.Context()); err == nil {
		t.Fatal("a killed guard answers")
	}
	if second := set(); second.PID() == first.PID() {
		t.Error("the dead guard was given again")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	same(t, root, before)
}
