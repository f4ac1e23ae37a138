package doctor

import (
	"os"
	"testing"

	"jtune/internal/testhome"
)

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }
