package task

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// A pair that was cut off goes on: what it measured counts, from the same predictions; a repetition asks for the same.
func TestPairGoesOnAndIsRepeated(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	r := pairOf(t, s)
	r.Dir, r.Policy, r.Tau = filepath.Join(t.TempDir(), "c"), mix.Strict, 9
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := pair.Search(ctx, s, r, func(e measure.Event) {
		if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Row != nil && p.Progress.Row.Pair != nil {
			cancel()
		}
	})
	_, before, readErr := record.Read(r.Dir)
	if !errors.Is(err, context.Canceled) || readErr != nil || len(before) != 1 {
		t.Fatalf("cut off: %v, %d rows, %v", err, len(before), readErr)
	}
	r.Limit.Limits = r.Limit.Limits.And(metric.Power.Max(r.Limit.Of(metric.Power) + 1))
	r.Resume = true
	if _, err := pair.Search(t.Context(), s, r, nil); err == nil || !strings.Contains(err.Error(), "31 W") {
		t.Errorf("another limit goes on: %v", err)
	}
	r.Limit.Limits = r.Limit.Limits.And(metric.Power.Max(r.Limit.Of(metric.Power) - 1))
	found, err := pair.Search(t.Context(), s, r, nil)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		t.Fatal(err)
	}
	_, after, _ := record.Read(r.Dir)
	if len(found.Probes) == 0 || found.Probes[0].Row.When != before[0].When || len(after) != len(found.Probes)+1 ||
		after[0].When != before[0].When {
		t.Errorf("gone on: %d pairs of %d rows, the first of %v, was %v", len(found.Probes), len(after),
			found.Probes[0].Row.When, before[0].When)
	}
	same, err := pair.Search(t.Context(), s, r, nil)
	if _, rows, _ := record.Read(r.Dir); len(rows) != len(after) || same.Setting != found.Setting ||
		same.TrainPerS != found.TrainPerS || len(same.Probes) != len(found.Probes) {
		t.Errorf("a finished one: %+v, %v, and %d rows; was %+v of %d", same.Outcome, err, len(rows), found.Outcome,
			len(after))
	}
	again, err := Repeat(s, campaigns.ReadCampaignFolder(r.Dir), false, nil)
	if err != nil || again.Pair == nil {
		t.Fatalf("to repeat: %+v, %v", again, err)
	}
	asked := *again.Pair
	if asked.Before.IsZero() || asked.Dir != "" || asked.Train.Name != r.Train.Name ||
		asked.Infer.Name != r.Infer.Name {
		t.Errorf("to repeat: %+v", asked)
	}
	asked.Before, asked.Dir, asked.Resume, asked.Settings = r.Before, r.Dir, r.Resume, r.Settings
	asked.Train, asked.Infer = r.Train, r.Infer
	must.Equal(t, asked, r)
	second, err := pair.Search(t.Context(), s, *again.Pair, nil)
	if len(second.Probes) == 0 || second.Probes[0].Row.Setting != found.Probes[0].Row.Setting {
		t.Errorf("repeated: %+v, %v", second.Probes, err)
	}
}

// pairOf is a search for a pair.
func pairOf(t *testing.T, s *session.Session) pair.Request {
	t.Helper()
	train := must.Get(workloads.Find(s, "resnet18"))(t)
	infer := must.Get(workloads.Find(s, "mobilenet-infer"))(t)
	return pair.Request{Train: train, Infer: infer, Batches: []int{4, 16},
		PairAsked: record.PairAsked{Requests: 200, Pairs: 3},
		Question: metric.Question{Limit: metric.Watts(30),
			Load: arrivals.Spec{RatePerS: 60, Arrivals: "uniform", LatencyMS: 500, Quantile: 0.95}}}
}
