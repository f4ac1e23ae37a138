package session

import (
	"errors"
	"math"
	"strings"
	"testing"

	"jtune/optimize"
	"jtune/profiles/record"
)

// pairOf is a search for the pair of the other tests.
func pairOf(t *testing.T, s *Session) PairSearch {
	t.Helper()
	train, err := s.Workload("resnet18")
	if err != nil {
		t.Fatal(err)
	}
	infer, err := s.Workload("mobilenet-infer")
	if err != nil {
		t.Fatal(err)
	}
	return PairSearch{Train: train, Infer: infer, Batches: []int{4, 16, 32}, Requests: 200,
		Serving: Serving{RatePerS: 60, Arrivals: "uniform", LatencyMS: 500, Quantile: 0.95},
		Limit:   optimize.Limit{PowerW: 30}}
}

func TestPairIsMeasuredAndKeepsItsLimits(t *testing.T) {
	t.Parallel()
	s := fast(t)
	before := s.PresentMode()
	found, err := s.Pair(t.Context(), pairOf(t, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found.Probes {
		t.Logf("%v: predicted %.2f/s p95 %.0f ms %.1f W; measured %.2f/s %.0f ms %.1f W %s", p.Row.Setting,
			p.Predicted.TrainPerS, p.Predicted.LatencyMS, p.Predicted.PeakW, p.TrainPerS, p.LatencyMS, p.PeakW, p.Why())
	}
	row := found.Row
	if !found.Feasible || row == nil || row.Pair == nil || found.PeakW > 30 || found.LatencyMS > 500 ||
		found.TrainPerS <= 0 || math.Abs(found.ServedPerS/60-1) > 0.05 || len(found.Probes) > optimize.MostVerified {
		t.Errorf("answer %+v of %d pairs", found.Outcome, len(found.Probes))
	}
	if found.TrainAlonePerS <= found.TrainPerS || found.PairAnswer.Alone.IdleShare <= found.IdleShare || !found.Apart.OK ||
		found.MarginalJ() <= 0 {
		t.Errorf("alone %.2f/s and idle %.2f, together %.2f/s and %.2f, a request %.3f J", found.TrainAlonePerS,
			found.PairAnswer.Alone.IdleShare, found.TrainPerS, found.IdleShare, found.MarginalJ())
	}
	if after := s.PresentMode(); after != before {
		t.Errorf("left in %v, found in %v", after, before)
	}
	head, rows, err := record.Read(found.Dir)
	if err != nil || head.Pair == nil || head.Pair.Train.Name != "resnet18" || !head.Device.Virtual ||
		len(rows) != len(found.Probes)+1 {
		t.Fatalf("record: %d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		if p := row.Pair; p == nil || p.MeanW <= 0 || p.Latency.N < 200 || p.Latency.P95 < p.Latency.P50 ||
			(p.Policy == record.Alone) != (i == len(rows)-1) || row.Extra == nil {
			t.Errorf("row %d: %+v", i, p)
		}
	}
	// the profiles of both serve the next question
	again := pairOf(t, s)
	again.Limit.PowerW, again.Policy = 22, optimize.Strict
	second, err := s.Pair(t.Context(), again, func(e Event) {
		if strings.Contains(e.Note, "measuring") && strings.Contains(e.Note, "first") {
			t.Errorf("the second question: %s", e.Note)
		}
	})
	if err != nil || second.Policy != optimize.Strict || second.PeakW > 22 {
		t.Errorf("the second question: %+v, %v", second.Outcome, err)
	}
}

func TestPairWithoutAnAnswerSaysTheNearest(t *testing.T) {
	t.Parallel()
	s := fast(t)
	r := pairOf(t, s)
	r.Limit.PowerW, r.Most, r.Serving.RatePerS = 9, 2, 200
	found, err := s.Pair(t.Context(), r, nil)
	var none *optimize.NoSettingError
	if !errors.As(err, &none) || found.Feasible || found.Row == nil && !none.Measured {
		t.Errorf("%+v, %v", found.Outcome, err)
	}
	if len(found.Probes) > 2 {
		t.Errorf("%d pairs measured, at most 2 were asked for", len(found.Probes))
	}
}
