package handover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/questions"
	"jtune/tui/session/workloads"
)

// Drift is how a mode does today beside what its search measured.
type Drift struct {
	Holds    bool       `json:"holds"` // it takes no more time and power than then, but for what readings differ by
	Mode     tegra.Mode `json:"mode"`
	TimePct  float64    `json:"time_pct"` // of then; below 0: it takes less
	PowerPct float64    `json:"power_pct"`
	Since    time.Time  `json:"since"` // of the search
	Virtual  bool       `json:"virtual"`
	Says     string     `json:"-"`
}

// ErrNoAnswer says that there is nothing to verify.
var ErrNoAnswer = errors.New("no answer of a search on this board has been kept: jtune tune makes one")

// ofBoard is the newest search of the open board that keeps an answer, or the one that is named.
func ofBoard(s *session.Session, name string) (c campaigns.Campaign, k *answers.Kept, err error) {
	list, err := campaigns.List(s.Options.Paths)
	if err != nil {
		return c, nil, err
	}
	here := s.DeviceHeader()
	same := func(c campaigns.Campaign) bool {
		d := c.Header.Device
		return d.Name == here.Name && d.Virtual == here.Virtual && d.Which == here.Which
	}
	if name != "" {
		if c, err = campaigns.Find(s.Options.Paths, name); err != nil {
			return c, nil, err
		}
		c, k, err = questions.Find(list, c)
		switch {
		case err == nil && k == nil:
			err = fmt.Errorf("%s: %w", c.Name, questions.ErrNone)
		case err == nil && !same(c):
			err = fmt.Errorf("%s was searched on %s, this is another board", c.Name, c.Header.Device.Name)
		}
		return c, k, err
	}
	for _, c := range slices.Backward(list) {
		if c.Err != nil || !same(c) {
			continue
		}
		if k, err := questions.Answer(c); err == nil && k != nil {
			return c, k, nil
		}
	}
	return c, nil, ErrNoAnswer
}

// Verify measures the answer of a search again with its job, and restores the board.
func Verify(ctx context.Context, s *session.Session, name string, observe func(measure.Event)) (Drift, error) {
	c, k, err := ofBoard(s, name)
	if err != nil {
		return Drift{}, err
	}
	a := k.Answers[0]
	if a.Served != nil || a.Batch > 0 || a.Reading.N == 0 {
		return Drift{}, fmt.Errorf("%s: only an answer that was measured, without a load and with one batch size, "+
			"can be verified", c.Name)
	}
	w, err := workloads.Find(s, c.Header.Workload.Name)
	if err != nil {
		return Drift{}, err
	}
	row, err := measure.Verify(ctx, s, w, a.Mode, observe)
	if err != nil {
		return Drift{}, err
	}
	if !row.Status.Usable() {
		return Drift{}, fmt.Errorf("the mode could not be measured: %s: %s", row.Status, row.Why)
	}
	return drift(a, row, c.Header.Created), nil
}

// z95 is the half width of a 95 % band in standard deviations.
const z95 = 1.96

// drift compares a reading of today with those of the search.
func drift(a answers.Answer, row record.Row, since time.Time) Drift {
	then, now := a.Error, answers.ErrorsOf(row.Setting, 1, []record.Row{row})
	if then == (answers.Errors{}) {
		then = answers.ErrorsOf(a.Setting, a.Reading.N, nil)
	}
	time, timeMore := changed(a.Reading.TimeMS, row.TimeMS, math.Hypot(then.Time, now.Time))
	power, powerMore := changed(a.Reading.PowerW, row.PowerW, math.Hypot(then.Power, now.Power))
	d := Drift{Holds: !timeMore && !powerMore, Mode: a.Mode, TimePct: time, PowerPct: power, Since: since,
		Virtual: a.Virtual}
	d.Says = fmt.Sprintf("%s ms and %s W now, %s ms and %s W on %s: %+.1f %% time, %+.1f %% power",
		text.Of(row.TimeMS), text.Of(row.PowerW), text.Of(a.Reading.TimeMS), text.Of(a.Reading.PowerW),
		since.UTC().Format("2006-01-02"), time, power)
	if !d.Holds {
		d.Says += ", more than readings differ by: tune again"
	}
	return d
}

// changed is by how much a value has grown in percent, and whether by more than its error.
func changed(then, now, err float64) (pct float64, more bool) {
	by := math.Log(now / then)
	return math.Round(1000*math.Expm1(by))/10 + 0, by > z95*err
}
