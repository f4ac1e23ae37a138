package search

import (
	"errors"
	"testing"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
)

func TestSessionHotBoardEndsACampaignAfterTheModeInProgress(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.HotSession(t)
	res, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w},
		Sample: 4}, nil)
	var hot *profiles.HotError
	if !errors.As(err, &hot) || len(res.Rows) != 1 || res.Rows[0].Status.Usable() {
		t.Errorf("%d rows, %v", len(res.Rows), err)
	}
	for _, r := range []measure.TuneRequest{{}, {Asked: record.Asked{Coverage: campaigns.CoverFront}},
		{Asked: record.Asked{Strategy: optimize.Binary}}} {
		r.Workload, r.Limits = w, []metric.Goal{metric.Watts(30)}
		found, err := Tune(t.Context(), s, r, nil)
		if !errors.As(err, &hot) || found.Answers[0].Feasible || found.Fitted != nil {
			t.Errorf("tune %s %s: feasible %v, model %v, %v", r.Coverage, r.Strategy, found.Answers[0].Feasible,
				found.Fitted != nil, err)
		}
	}
}
