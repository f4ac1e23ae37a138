package sessiontest

import (
	"math"
	"testing"

	"jtune/tui/session"
)

func Open(t testing.TB, o session.Options) *session.Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s, err := session.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func Fast(t testing.TB) *session.Session {
	return Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
}
