package hold

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Verdict is the outcome of a soak.
type Verdict string

// Verdicts.
const (
	Holds       Verdict = "holds"
	DoesNotHold Verdict = "does not hold"
	NotSeen     Verdict = "not seen" // no limit exceeded, but something relevant could not be observed
)

// Result is a soak's verdict and the values behind it. Values that the board does not report are absent.
type Result struct {
	Verdict   Verdict               `json:"verdict"`
	Reason    string                `json:"reason"`
	Mode      tegra.Val[tegra.Mode] `json:"mode"` // absent where no mode matches the board's state
	DurationS float64               `json:"duration_s"`
	State
	Throttled *Throttled `json:"throttled"` // nil: no throttling
	Events    []Event    `json:"events"`
	Sources   []Source   `json:"sources"` // that answered at the start of the load
	Virtual   bool       `json:"virtual"`
}

// State is where a load stands: where its temperature ends, and its extremes with their distances to the limits.
type State struct {
	Steady  Steady  `json:"steady"`
	Peak    Peak    `json:"peak"`
	Least   Least   `json:"least"`
	Margins Margins `json:"margins"`
}

// Source is what the verdict rests on: a sensor, a clock, the guard. It answered in Readings of Of samples.
type Source struct {
	Name     string `json:"name"`
	Readings int    `json:"readings"`
	Of       int    `json:"of"`
}

// Sentence returns the verdict with its reason.
func (r Result) Sentence() string {
	if strings.HasPrefix(r.Reason, string(r.Verdict)) {
		return r.Reason
	}
	return string(r.Verdict) + ": " + r.Reason
}

// Steady is the final temperature of the hottest zone, with its 90 % interval LoC to HiC.
type Steady struct {
	TjC     tegra.Val[float64] `json:"tj_c"`
	LoC     tegra.Val[float64] `json:"lo_c"`
	HiC     tegra.Val[float64] `json:"hi_c"`
	Reached bool               `json:"reached"` // the temperature has been there for minutes
}

// Words says where the temperature ends, and in how long if that is known.
func (s Steady) Words(in time.Duration) string {
	switch {
	case !s.TjC.OK:
		return "where the temperature ends is not known"
	case s.Reached:
		return fmt.Sprintf("steady at %.0f °C", s.TjC.V)
	}
	out := fmt.Sprintf("tj ends at %.0f °C (%.0f to %.0f)", s.TjC.V, s.LoC.V, s.HiC.V)
	if in > 0 {
		out += fmt.Sprintf(" in %.0f min", max(1, in.Minutes()))
	}
	return out
}

// mostFacts caps the events among the facts.
const mostFacts = 20

// Facts are the duration, the end of the temperature and the events.
func (r Result) Facts() document.Facts {
	facts := document.Facts{{"lasted", units.SpanOf(r.DurationS)}, {"temperature", r.Steady.Words(0)}}
	for _, e := range r.Events[:min(len(r.Events), mostFacts)] {
		facts = append(facts, [2]string{"after " + units.SpanOf(e.AtS), e.What})
	}
	if more := len(r.Events) - mostFacts; more > 0 {
		facts = append(facts, [2]string{"", text.Count(more, "further event")})
	}
	return facts
}

// Table lists the extremes with their limits (see Bounds).
func (r Result) Table(given metric.Limits) document.Table {
	t := document.Table{Head: []string{"", "seen", "limit", "left"}, Numbers: 1}
	for _, b := range r.Bounds(given) {
		t.Rows = append(t.Rows, []string{b.Name, b.Text(b.Seen), b.Text(b.Limit), b.Text(b.Left)})
	}
	return t
}

// Peak holds the highest values observed. The current belongs to Rail, the supply rail.
type Peak struct {
	PowerW  tegra.Val[float64] `json:"power_w"`
	Amperes tegra.Val[float64] `json:"current_a"`
	TjC     tegra.Val[float64] `json:"tj_c"`
	Rail    tegra.Val[string]  `json:"rail"`
}

// Least is the lowest supply voltage observed.
type Least struct {
	Volts tegra.Val[float64] `json:"voltage_v"`
	Rail  tegra.Val[string]  `json:"rail"`
}

// Margins are the distances to the limits: the given ones, else the board's own (the monitor's critical current, the
// lowest trip point). A negative margin means that the limit was exceeded.
type Margins struct {
	PowerW  tegra.Val[float64] `json:"power_w"` // from the highest mean of a minute, not the peak
	Amperes tegra.Val[float64] `json:"current_a"`
	TjC     tegra.Val[float64] `json:"tj_c"`
	Volts   tegra.Val[float64] `json:"voltage_v"`
}

// Throttled describes the first time that a clock dropped.
type Throttled struct {
	AtS   float64               `json:"at_s"`
	Clock string                `json:"clock"` // CPU, GPU or EMC
	From  tegra.Val[tegra.Freq] `json:"from_hz"`
	To    tegra.Val[tegra.Freq] `json:"to_hz"`
}

// Event is something that happened during a soak.
type Event struct {
	AtS  float64 `json:"at_s"`
	What string  `json:"what"`
}

// Check reduces the texts of a result read from a file to single lines. It returns an error when the file holds no
// result.
func (r *Result) Check() error {
	switch r.Verdict {
	case Holds, DoesNotHold, NotSeen:
	default:
		return errors.New("its verdict is none")
	}
	r.Reason = text.OneLine(r.Reason)
	r.Peak.Rail.V, r.Least.Rail.V = text.OneLine(r.Peak.Rail.V), text.OneLine(r.Least.Rail.V)
	if r.Throttled != nil {
		r.Throttled.Clock = text.OneLine(r.Throttled.Clock)
	}
	for i := range r.Sources {
		r.Sources[i].Name = text.OneLine(r.Sources[i].Name)
	}
	r.Events = r.Events[:min(len(r.Events), mostEvents)]
	for i := range r.Events {
		r.Events[i].What = text.OneLine(r.Events[i].What)
	}
	return nil
}
