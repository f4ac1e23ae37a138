package optimize

import (
	"os"
	"testing"

	"jtune/internal/testhome"
)

func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }
