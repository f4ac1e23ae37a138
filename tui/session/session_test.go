package session

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/tegratest"
)

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) {
	remove := testhome.Set()
	code := m.Run()
	remove()
	os.Exit(code)
}

func open(t testing.TB, o Options) *Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := must.Get(Open(o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func fast(t testing.TB) *Session {
	return open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
}

func TestOpenPicksTheDeviceThatIsNamed(t *testing.T) {
	root := tegratest.AGXOrin35(t)
	batches := filepath.Join(t.TempDir(), "bs.csv")
	os.WriteFile(batches, []byte("bs,"+strings.Join(sweep.Columns, ",")+"\n16,2,729600,318750000,665600000,50,10\n"+
		"32,2,729600,318750000,665600000,90,11\n32,4,729600,318750000,665600000,80,12\n"), 0o644)
	badUsage := &usage.Error{}
	for _, c := range []struct {
		name    string
		o       Options
		virtual bool
		modes   int
		err     error
	}{
		{"a virtual board", Options{Device: "virtual:agx-orin"}, true, 18096, nil},
		{"a fake root is a Jetson", Options{Sysroot: root}, false, 18096, nil},
		{"and so when it is named", Options{Sysroot: root, Device: "jetson"}, false, 18096, nil},
		{"another virtual board", Options{Device: "virtual:nano"}, true, 1440, nil},
		{"a medium that it lacks", Options{Device: "virtual:nano", Medium: "ssd"}, false, 0, badUsage},
		{"an empty root has none", Options{Sysroot: t.TempDir()}, false, 0, tegra.ErrNoDevice},
		{"a fake root is no virtual board", Options{Sysroot: root, Device: "virtual:agx-orin"}, false, 0, badUsage},
		{"a board that is not simulated", Options{Device: "virtual:toaster"}, false, 0, tegra.ErrNoDevice},
		{"a replay of one batch size", Options{Device: "replay:" + batches, Batches: []int{32}}, true, 2, nil},
		{"a replay of several needs a choice", Options{Device: "replay:" + batches}, false, 0, badUsage},
		{"a batch size that is not there", Options{Device: "replay:" + batches, Batches: []int{8}}, false, 0,
			badUsage},
		{"a replay of nothing", Options{Device: "replay:/nowhere.csv"}, false, 0, tegra.ErrNoDevice},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.o)
			if c.err != nil {
				if is := errors.Is(err, c.err) || usage.Is(err) && c.err == badUsage; !is {
					t.Fatalf("got %v, want %v", err, c.err)
				}
				return
			}
			must.NoError(t, err)
			defer s.Close()
			must.Equal(t, s.Device.Board().Virtual, c.virtual)
			must.Equal(t, s.Virtual != nil, c.virtual)
			must.Equal(t, s.Device.Space().Len(), c.modes)
		})
	}
}

func TestReadOnlyHasNoGuard(t *testing.T) {
	s := open(t, Options{Device: "virtual:agx-orin", ReadOnly: true})
	if _, err := s.Guard(t.Context()); !errors.Is(err, tegra.ErrPermission) {
		t.Errorf("got %v, want no permission", err)
	}
}

// The first limit that a dialog shows is one of the board's own budgets.
func TestSessionDefaultPowerIsABudgetOfEachBoard(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{"agx-orin": 30, "agx-xavier": 30, "xavier-nx": 15, "nano": 5,
		"orin-nano": 15, "tx2": 15} {
		s := open(t, Options{Device: "virtual:" + name})
		must.Equal(t, outlook.DefaultPowerW(s.Device.Presets()), want, name)
	}
}
