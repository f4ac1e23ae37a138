package workloads

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session"
)

func open(t testing.TB, o session.Options) *session.Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := must.Get(session.Open(o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func fast(t testing.TB) *session.Session {
	return open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
}
