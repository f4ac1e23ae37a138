package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// RankBoard is a candidate board: with a model of the workload or, for a machine without power modes, a measured epoch.
type RankBoard struct {
	Name    string
	Outlook *outlook.Outlook // nil: only EpochS is known
	EpochS  float64
	PowerW  float64 // limit; 0: none
	Guess   bool    // the model is of another workload
	Rest    *Rest   // until the next round; nil: not requested
}

// RankRequest is the task for all boards.
type RankRequest struct {
	Boards      []RankBoard
	Minibatches int     // per epoch
	Epochs      int     // local epochs per round
	RoundS      float64 // deadline of a round; 0: as fast as possible
	By          RankKey
}

// RankKey is the sort key of boards.
type RankKey string

// Sort keys, ascending.
const (
	ByTime   RankKey = "time"
	ByEnergy RankKey = "energy"
	ByEDP    RankKey = "edp" // energy-delay product, in joule seconds
)

// Ranked is a board with its time, power and energy.
type Ranked struct {
	Name     string                `json:"name"`
	Device   text.Optional         `json:"device"`
	Virtual  bool                  `json:"virtual"`
	Guess    bool                  `json:"guess"` // predicted by a model of another workload
	Mode     tegra.Val[tegra.Mode] `json:"mode"`
	Measured bool                  `json:"measured"` // else predicted
	TimeMS   tegra.Val[float64]    `json:"time_ms"`  // per minibatch
	PowerW   tegra.Val[float64]    `json:"power_w"`
	EpochS   tegra.Val[float64]    `json:"epoch_s"`
	TimeS    tegra.Val[float64]    `json:"time_s"` // of all epochs
	EnergyWh tegra.Val[float64]    `json:"energy_wh"`
	EDP      tegra.Val[float64]    `json:"edp_js"`
	Why      text.Optional         `json:"dnr"`  // why it cannot; absent if it can
	Rest     *Rested               `json:"rest"` // absent if not requested
}

// Ranking lists the boards in order, those that cannot do the task last.
type Ranking struct {
	Boards   []Ranked           `json:"boards"`
	RoundS   tegra.Val[float64] `json:"round_s"`   // until the slowest ends
	EnergyWh tegra.Val[float64] `json:"energy_wh"` // of those that can; absent if one's power is unknown
	Curve    []RoundPoint       `json:"curve"`     // without a deadline
	Knee     tegra.Val[float64] `json:"knee_s"`    // of the curve
	Virtual  bool               `json:"virtual"`   // at least one is virtual
}

// RoundPoint is a round within a deadline, with each board in its mode of least energy.
type RoundPoint struct {
	DeadlineS float64 `json:"deadline_s"`
	EnergyWh  float64 `json:"energy_wh"`
}

const joulesPerWh = 3600.0

// Rank orders boards. Without a deadline each uses its fastest mode within its power limit; with one, the mode of least
// energy that meets it. A round of federated training ends with its slowest board.
func Rank(r RankRequest) Ranking {
	var out Ranking
	for _, b := range r.Boards {
		x := r.place(b, r.RoundS)
		out.Boards, out.Virtual = append(out.Boards, x), out.Virtual || x.Virtual
	}
	of := func(x Ranked) tegra.Val[float64] {
		switch r.By {
		case ByEnergy:
			return x.EnergyWh
		case ByEDP:
			return x.EDP
		}
		return x.TimeS
	}
	sorted.Stable(out.Boards, func(a, b Ranked) int {
		return cmp.Compare(of(a).Or(math.Inf(1)), of(b).Or(math.Inf(1)))
	})
	fails := func(x Ranked) int { return min(len(x.Why), 1) }
	sorted.Stable(out.Boards, func(a, b Ranked) int { return fails(a) - fails(b) })
	out.RoundS, out.EnergyWh = sums(out.Boards)
	if r.RoundS == 0 {
		out.Curve = r.curve()
		out.Knee = knee(out.Curve)
	}
	return out
}

// sums returns the time until the slowest ends and the energy of all that take part.
func sums(list []Ranked) (slowest, wh tegra.Val[float64]) {
	known := true
	for _, x := range list {
		if x.Why != "" {
			continue
		}
		slowest = tegra.Some(max(slowest.V, x.TimeS.V))
		wh, known = tegra.Some(wh.V+x.EnergyWh.V), known && x.EnergyWh.OK
	}
	wh.OK = wh.OK && known
	return slowest, wh
}

// place evaluates one board for a deadline; 0: none.
func (r RankRequest) place(b RankBoard, deadlineS float64) Ranked {
	x := Ranked{Name: b.Name, Guess: b.Guess}
	if b.Outlook == nil {
		x.EpochS, x.TimeS = tegra.Some(b.EpochS), tegra.Some(b.EpochS*float64(r.Epochs))
		x.Measured = true
		if deadlineS > 0 && x.TimeS.V > deadlineS {
			x.Why = text.Optional(fmt.Sprintf("takes %s s of %s s", text.Of(x.TimeS.V), text.Of(deadlineS)))
		}
		return x
	}
	from := b.Outlook.Model.Provenance
	x.Device, x.Virtual = text.Optional(from.Device), from.Virtual
	minibatches := float64(r.Minibatches * r.Epochs)
	limit := metric.Watts(b.PowerW)
	if deadlineS > 0 {
		limit.Limits = limit.Limits.And(metric.Time.Max(deadlineS * 1000 / minibatches))
		limit.Objective = metric.Energy
	}
	at, err := b.Outlook.Choose(limit)
	if err != nil {
		x.Why = text.Optional(err.Error())
		if errors.Is(err, optimize.ErrInfeasible) {
			x.Why = text.Optional("no mode: " + limit.Words())
		}
		return x
	}
	p := b.Outlook.Known[at]
	seconds := p.TimeMS * minibatches / 1000
	joules := seconds * p.PowerW
	x.Mode, x.Measured = tegra.Some(p.Mode), b.Outlook.At(at).Measured()
	x.TimeMS, x.PowerW = tegra.Some(p.TimeMS), tegra.Some(p.PowerW)
	x.EpochS, x.TimeS = tegra.Some(seconds/float64(r.Epochs)), tegra.Some(seconds)
	x.EnergyWh, x.EDP = tegra.Some(joules/joulesPerWh), tegra.Some(joules*seconds)
	if b.Rest != nil {
		rested := b.Rest.after(seconds)
		x.Rest = &rested
	}
	return x
}

// late is a deadline in seconds that every training keeps: 30 years.
const late = 1e9

// curvePoints is the number of deadlines of the curve.
const curvePoints = 40

// curve returns the total energy of the boards with models for deadlines from the shortest that the slowest can meet to
// the one beyond which none saves more; nil if no board can take part, or none has a choice.
func (r RankRequest) curve() []RoundPoint {
	var able []RankBoard
	first, last := 0.0, 0.0
	for _, b := range r.Boards {
		fastest := r.place(b, 0)
		if b.Outlook == nil || fastest.Why != "" {
			continue
		}
		able = append(able, b)
		first = max(first, fastest.TimeS.V)
		last = max(last, r.place(b, late).TimeS.V) // at its mode of least energy
	}
	if len(able) == 0 || last <= first {
		return nil
	}
	// A mode keeps a margin below a deadline, so the first deadline is slightly later than the fastest mode's end.
	first *= deadlineRoom
	last = max(last*deadlineRoom, first)
	var out []RoundPoint
	for i := range curvePoints {
		at := RoundPoint{DeadlineS: first * math.Pow(last/first, float64(i)/(curvePoints-1))}
		all := true
		for _, b := range able {
			x := r.place(b, at.DeadlineS)
			all = all && x.Why == ""
			at.EnergyWh += x.EnergyWh.V
		}
		if all {
			out = append(out, at)
		}
	}
	return out
}

// deadlineRoom is the factor between the expected end and the first deadline of a curve: what the risk asks of one
// reading.
const deadlineRoom = 1.025

// knee returns the deadline at which the curve bends most, at most twice the first.
func knee(curve []RoundPoint) tegra.Val[float64] {
	points := make([]learn.Prediction, len(curve))
	for i, p := range curve { // a front of time and energy instead of power
		points[i].TimeMS, points[i].PowerW = p.DeadlineS, p.EnergyWh
	}
	at, err := optimize.Choose(points, metric.Goal{Knee: true})
	if err != nil || len(curve) < 3 {
		return tegra.Val[float64]{}
	}
	return tegra.Some(points[at].TimeMS)
}

// Rest is a pause between rounds and the power in it. A board's own sensors are off while it sleeps, so a meter at the
// supply measures these.
type Rest struct {
	PeriodS float64 // from the start of one round to the next
	IdleW   float64
	SleepW  float64
	WakeJ   float64 // energy of waking up
	WakeS   float64
}

// Rested is the energy of a pause, awake and asleep.
type Rested struct {
	PauseS     float64            `json:"pause_s"`
	IdleWh     float64            `json:"idle_wh"`
	SleepWh    tegra.Val[float64] `json:"sleep_wh"`     // absent if the pause is too short for waking up
	BreakEvenS tegra.Val[float64] `json:"break_even_s"` // sleeping saves energy in longer pauses; absent: never
	Sleep      bool               `json:"sleep"`        // sleeping saves energy
	Late       bool               `json:"late"`         // no pause: the round is longer than the period
}

// Check returns an error for invalid numbers.
func (r Rest) Check() error {
	for _, v := range []struct {
		name  string
		value float64
		zero  bool
	}{{"period", r.PeriodS, false}, {"idle power", r.IdleW, false}, {"sleep power", r.SleepW, true},
		{"wake energy", r.WakeJ, true}, {"wake time", r.WakeS, true}} {
		if !(v.value > 0) && !(v.zero && v.value == 0) || math.IsInf(v.value, 0) {
			return usage.Errorf("%s %g: want a positive number", v.name, v.value)
		}
	}
	return nil
}

// after returns the pause after that many seconds of work. Idle it takes P_idle·g, asleep P_sleep·(g − t_wake) +
// E_wake: sleeping takes less from g = t_wake + (E_wake − P_idle·t_wake)/(P_idle − P_sleep).
func (r Rest) after(busyS float64) Rested {
	pause := r.PeriodS - busyS
	if pause < 0 {
		return Rested{Late: true}
	}
	out := Rested{PauseS: pause, IdleWh: r.IdleW * pause / joulesPerWh}
	if pause >= r.WakeS {
		out.SleepWh = tegra.Some((r.SleepW*(pause-r.WakeS) + r.WakeJ) / joulesPerWh)
	}
	if r.IdleW > r.SleepW {
		out.BreakEvenS = tegra.Some(max(r.WakeS, r.WakeS+(r.WakeJ-r.IdleW*r.WakeS)/(r.IdleW-r.SleepW)))
	}
	out.Sleep = out.SleepWh.OK && out.SleepWh.V < out.IdleWh
	return out
}
