package doctor

import (
	"testing"

	"jtune/internal/must"
	"jtune/tui/session"
)

func open(t testing.TB, o session.Options) *session.Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s, err := session.Open(o)
	must.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}
