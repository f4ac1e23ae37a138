package measure

import (
	"context"
	"errors"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// inForce opens a board that is in a mode on trial.
func inForce(t *testing.T) (*session.Session, ModeRequest) {
	t.Helper()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: 40, Seed: 1})
	w := must.Get(workloads.Find(s, "resnet"))(t)
	g, err := s.Guard(t.Context())
	m := s.Device.Space().At(s.Device.Space().Len() / 2)
	if err == nil {
		_, err = g.Apply(t.Context(), tegra.Request{Mode: m})
	}
	must.NoError(t, err)
	return s, ModeRequest{Workload: w, Mode: m, Limit: metric.Watts(60), InForce: true}
}

// A mode in force is read until the context ends, that reading included, and neither set nor restored.
func TestVerifyOfAModeInForceWritesNothing(t *testing.T) {
	t.Parallel()
	s, r := inForce(t)
	ctx, end := context.WithCancel(t.Context())
	clean := 0
	rows, err := Verify(ctx, s, r, func(e Event) {
		p, is := e.(ProgressEvent)
		if !is {
			return
		}
		if clean = p.Progress.Minibatch; p.Progress.Done == 1 && clean >= 25 && p.Progress.Samples > 12 {
			end()
		}
	})
	if err != nil || len(rows) != 2 || rows[1].Minibatches >= 40 || rows[1].Minibatches < clean {
		t.Fatalf("%+v, %v; want two readings, the second of fewer steps than usual", rows, err)
	}
	must.Equal(t, s.Setup().Mode.V, r.Mode)
	list, err := campaigns.List(s.Options.Paths)
	if err != nil || len(list) != 1 || list[0].Verdict != "within" ||
		list[0].State(nil) != campaigns.CampaignFinished || list[0].Header.Plan.Kind != campaigns.VerifyKind ||
		!list[0].Header.Settings.KeepFan {
		t.Errorf("the list has %+v, %v", list, err)
	}
}

// Without a reading there is no campaign, whatever ended it.
func TestVerifyOfAModeInForceLeavesNoEmptyCampaign(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(s *session.Session, end func()){
		"before the first step": func(_ *session.Session, end func()) { end() },
		"another mode": func(s *session.Session, _ func()) {
			g, err := s.Guard(t.Context())
			if _, undone := g.Revert(t.Context()); errors.Join(err, undone) != nil {
				t.Error(err, undone)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := inForce(t)
			ctx, end := context.WithTimeout(t.Context(), time.Minute)
			defer end()
			ends(s, end)
			rows, err := Verify(ctx, s, r, nil)
			list, listed := campaigns.List(s.Options.Paths)
			if len(rows) > 0 && rows[0].Status.Usable() || err != nil || listed != nil {
				t.Errorf("rows %+v, campaigns %v, %v", rows, list, err)
			}
			if len(rows) == 0 && len(list) > 0 {
				t.Errorf("an empty campaign stays: %+v", list)
			}
		})
	}
}
