package models

import (
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
)

// The board was slower and warmer in the morning: the model of the pool follows the newest readings, and says so.
func TestPoolModelMovesOlderCampaignsWhereTheBoardHasDrifted(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	space := s.Device.Space()
	campaign := func(modes []tegra.Mode, time, power float64) PoolPart {
		var out PoolPart
		for _, m := range modes {
			out.Rows = append(out.Rows, record.Row{Status: record.OK, Measured: tegra.Measured{
				Setting: tegra.Setting{Mode: m},
				TimeMS:  time * 60 / m.GPU.GHz(),
				PowerW:  power * (8 + 10*m.GPU.GHz() + m.CPU.GHz()*float64(m.Cores)),
			}})
		}
		return out
	}
	modes := space.Sample(20, 1)
	fit := func(parts ...PoolPart) Learned {
		m, err := fitPool(Pool{Parts: parts, Batch: 16}, nil, "lstm", s.Device.Board(), space, nil, 0, time.Now())
		must.NoError(t, err)
		return m
	}
	now := fit(campaign(modes[:12], 1, 1), campaign(modes[10:], 1, 1))
	drifted := fit(campaign(modes[:12], 1.15, 1.08), campaign(modes[10:], 1, 1))
	if text := strings.Join(drifted.Warnings, "\n"); !strings.Contains(text, "12 readings of 1 campaign") {
		t.Errorf("the model does not say what was moved: %q", text)
	}
	want := now.Predict(modes)
	for i, p := range drifted.Predict(modes) {
		if math.Abs(p.TimeMS/want[i].TimeMS-1) > 0.01 || math.Abs(p.PowerW/want[i].PowerW-1) > 0.01 {
			t.Errorf("%v: %v, want %v", modes[i], p.Measured, want[i].Measured)
		}
	}
	if drifted.Provenance.Readings != 22 {
		t.Errorf("%d readings, want all 22", drifted.Provenance.Readings)
	}
}
