package hold

import (
	"errors"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// Verdict is what a soak has shown.
type Verdict string

// Verdicts.
const (
	Holds       Verdict = "holds"
	DoesNotHold Verdict = "does not hold"
	NotSeen     Verdict = "not seen" // nothing broke, but not all was seen that the question was about
)

// Result is a soak's verdict and what it is made of. Values that the board does not show are absent.
type Result struct {
	Verdict   Verdict               `json:"verdict"`
	Reason    string                `json:"reason"`
	Mode      tegra.Val[tegra.Mode] `json:"mode"` // absent where no mode expresses the board's state
	DurationS float64               `json:"duration_s"`
	Steady    Steady                `json:"steady"`
	Peak      Peak                  `json:"peak"`
	Least     Least                 `json:"least"`
	Margins   Margins               `json:"margins"`
	Throttled *Throttled            `json:"throttled"` // nil: it did not
	Events    []Event               `json:"events"`
	Virtual   bool                  `json:"virtual"`
}

// Sentence is the verdict with its reason.
func (r Result) Sentence() string {
	if strings.HasPrefix(r.Reason, string(r.Verdict)) {
		return r.Reason
	}
	return string(r.Verdict) + ": " + r.Reason
}

// Steady is where the hottest zone ends, in nine of ten cases between LoC and HiC.
type Steady struct {
	TjC     tegra.Val[float64] `json:"tj_c"`
	LoC     tegra.Val[float64] `json:"lo_c"`
	HiC     tegra.Val[float64] `json:"hi_c"`
	Reached bool               `json:"reached"` // it has been there for minutes
}

// Peak is the most that was seen; the current is of Rail, which stands for the supply.
type Peak struct {
	PowerW  tegra.Val[float64] `json:"power_w"`
	Amperes tegra.Val[float64] `json:"current_a"`
	TjC     tegra.Val[float64] `json:"tj_c"`
	Rail    tegra.Val[string]  `json:"rail"`
}

// Least is how far the supply's voltage sagged.
type Least struct {
	Volts tegra.Val[float64] `json:"voltage_v"`
	Rail  tegra.Val[string]  `json:"rail"`
}

// Margins are what was left to the limits: those that were given, else the board's own (the monitor's critical
// current, the lowest trip point). A negative one was exceeded.
type Margins struct {
	PowerW  tegra.Val[float64] `json:"power_w"` // by the highest mean of a minute, not by the peak
	Amperes tegra.Val[float64] `json:"current_a"`
	TjC     tegra.Val[float64] `json:"tj_c"`
	Volts   tegra.Val[float64] `json:"voltage_v"`
}

// Throttled is the first time that a clock fell.
type Throttled struct {
	AtS   float64               `json:"at_s"`
	Clock string                `json:"clock"` // CPU, GPU or EMC
	From  tegra.Val[tegra.Freq] `json:"from_hz"`
	To    tegra.Val[tegra.Freq] `json:"to_hz"`
}

// Event is something that happened in the course of a soak.
type Event struct {
	AtS  float64 `json:"at_s"`
	What string  `json:"what"`
}

// Check makes the texts of a verdict from a file single lines; an error says that it is none.
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
	r.Events = r.Events[:min(len(r.Events), MostEvents)]
	for i := range r.Events {
		r.Events[i].What = text.OneLine(r.Events[i].What)
	}
	return nil
}
