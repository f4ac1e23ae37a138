package models

import (
	"strings"
	"testing"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

func TestReferenceIsTheShippedOneOnItsKindOfBoardUnlessNamed(t *testing.T) {
	t.Parallel()
	o := session.Options{Paths: config.Paths{DataDir: t.TempDir()}}
	orin := tegra.Board{Name: "AGX Orin", Module: "p3701-0000"}
	simulated := orin
	simulated.Virtual = true
	for name, c := range map[string]struct {
		reference string
		board     tegra.Board
		want      bool
	}{
		"not named on an AGX Orin":      {"", orin, true},
		"not named on a simulated one":  {"", simulated, false},
		"not named on an Orin Nano":     {"", tegra.Board{Name: "Orin Nano"}, true},
		"not named on another board":    {"", tegra.Board{Name: "Orin NX 8GB"}, false},
		"a profile without one network": {"agx-orin-without-lstm", tegra.Board{}, true},
		"none on an AGX Orin":           {"none", orin, false},
		"named on another board":        {learn.ShippedName, tegra.Board{Name: "Orin Nano"}, true},
		"named where no board is known": {learn.ShippedName, tegra.Board{}, true},
	} {
		r, err := ReferenceOn(o.Paths, c.reference, c.board, nil)
		if err != nil || (r != nil) != c.want || r != nil && r.Compact == nil {
			t.Errorf("%s: got %v, %v", name, r, err)
		}
	}
	if _, err := ReferenceOn(o.Paths, "resnet", orin, nil); !usage.Is(err) ||
		!strings.Contains(err.Error(), learn.ShippedName) {
		t.Errorf("an unknown name: got %v, want a usage error that names the shipped one", err)
	}
	if r, err := Reference(o.Paths, ""); r != nil || err != nil {
		t.Errorf("no name where the board does not choose: got %v, %v", r, err)
	}
}
