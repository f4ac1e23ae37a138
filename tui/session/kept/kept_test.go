package kept_test

import (
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/kept"
	"jtune/tui/session/sessiontest"
)

// Boards of one data directory whose modes are kept at once all find theirs again.
func TestRememberOfManyAtOnceLosesNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	boards := map[string]*session.Session{}
	for _, name := range virtual.Names() {
		s := sessiontest.Open(t, session.Options{Device: "virtual:" + name, Paths: config.Paths{DataDir: dir}})
		boards[s.Device.Board().Name] = s
	}
	for range 3 {
		for name, s := range boards {
			all.Go(func() {
				if err := kept.Remember(s, tegra.Some(s.Device.Space().Max()), false); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		all.Wait()
		for name, s := range boards {
			if last, err := kept.Last(s); err != nil || last.Mode != tegra.Some(s.Device.Space().Max()) {
				t.Errorf("%s of %d boards: %+v, %v", name, len(boards), last, err)
			}
			must.NoError(t, kept.Remember(s, tegra.Val[tegra.Mode]{}, false))
		}
	}
}
