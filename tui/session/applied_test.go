package session

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"jtune/tegra"
	"jtune/tegra/guard"
)

// asked is a guard that records its requests. No mode is on trial.
type asked struct {
	tegra.Applier
	ops []string
}

func (g *asked) Revert(context.Context) (tegra.Applied, error) {
	g.ops = append(g.ops, "revert")
	return tegra.Applied{}, nil
}

func (g *asked) Keep(context.Context) error {
	g.ops = append(g.ops, "keep")
	return nil
}

func (g *asked) Decline(context.Context) (tegra.Applied, error) {
	g.ops = append(g.ops, "decline")
	return tegra.Applied{}, fmt.Errorf("%w: no mode is on trial", guard.ErrReverted)
}

func TestTakeBackDeclinesATrialAndRevertsWhatWasKept(t *testing.T) {
	for settle, want := range map[bool][]string{false: {"decline"}, true: {"revert", "keep"}} {
		g := new(asked)
		if _, err := TakeBack(t.Context(), g, settle); err != nil || !slices.Equal(g.ops, want) {
			t.Errorf("settle %v: %v, %v; want %v", settle, g.ops, err, want)
		}
	}
}
