package run

import (
	"context"
	"slices"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
)

// inMode is the power mode that a job runs in.
type inMode struct {
	mode     tegra.Val[tegra.Mode]
	from     string // measure.ModeGiven, …
	release  func(context.Context) (tegra.Applied, error)
	restored tegra.Val[bool] // absent: nothing was set
}

// setMode sets the mode that a request asks for, and the batch size that a search found with it.
func setMode(ctx context.Context, s *session.Session, r *measure.RunRequest) (*inMode, error) {
	m := &inMode{from: measure.ModePresent}
	if !r.Mode.Sets() {
		if now, err := s.Device.Read(); err == nil {
			m.mode = now.Mode
		}
		return m, nil
	}
	asked, err := request(ctx, s, r)
	if err != nil {
		return nil, err
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	applied, release, err := session.Hold(ctx, g, asked)
	if err != nil {
		return nil, err
	}
	m.mode, m.release, m.from = applied.Actual, release, measure.ModeGiven
	if r.Mode.Best() {
		m.from = measure.ModeKept
	}
	return m, nil
}

// request returns what to set on the board.
func request(ctx context.Context, s *session.Session, r *measure.RunRequest) (out tegra.Request, err error) {
	if r.Mode.Best() {
		at, err := BestMode(s, r.Workload, r.Mode.Goal)
		if err != nil {
			return out, err
		}
		r.Workload, out.Mode = r.Workload.AtBatch(at.Batch), at.Mode
	} else if out, err = s.FindRequest(ctx, r.Mode.Name); err != nil {
		return out, err
	}
	out.DVFS = r.Mode.Free
	return out, nil
}

// end restores the board.
func (m *inMode) end(ctx context.Context) error {
	if m.release == nil {
		return nil
	}
	applied, err := m.release(context.WithoutCancel(ctx))
	m.restored = tegra.Some(err == nil && applied.OK())
	return err
}

// BestMode returns the setting that the newest search of a job on this board has found, for a goal if one is given; the
// setting has the batch size if the search compared several. errors.Is(err, savedanswers.ErrNoBest) if there is none.
func BestMode(s *session.Session, w workload.Workload, goal metric.Question) (at tegra.Setting, err error) {
	list, err := campaigns.OnBoard(s.Options.Paths, s.Board())
	if err != nil {
		return at, err
	}
	job := w.Fingerprint("")
	list = slices.DeleteFunc(list, func(c campaigns.Campaign) bool { return c.Workload != job })
	for c, a := range savedanswers.Bests(list, goal) {
		if a.Batch > 0 || c.Header.Workload.Batch == w.Batch {
			return a.Setting, nil
		}
	}
	return at, savedanswers.ErrNoBest
}
