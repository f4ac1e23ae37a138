package inspect

import (
	"testing"

	"jtune/tui/session"
)

func open(t testing.TB, o session.Options) *session.Session {
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
