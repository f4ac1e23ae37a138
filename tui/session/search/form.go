package search

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"

	"jtune/internal/safefile"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// MostLimits is the maximum number of limits in one search from the screens.
const MostLimits = 6

// Kind is the kind of limit.
type Kind string

// Kinds of limits.
const (
	WithinPower Kind = "power"  // fastest within watts
	WithinTime  Kind = "time"   // least power within milliseconds
	LeastEnergy Kind = "energy" // without a limit
)

// Form is the last input to the Tune dialog on a board.
type Form struct {
	Workload string    `json:"workload,omitempty"`
	Kind     Kind      `json:"goal,omitempty"`
	PowerW   []float64 `json:"power_w,omitempty"`
	TimeMS   []float64 `json:"time_ms,omitempty"`
	Depth    string    `json:"depth,omitempty"`
	Coverage string    `json:"coverage,omitempty"`
	// Pair is two workloads (see ParsePair), and PairLimits their limits (see ParseGoal); "" for one workload.
	Pair       string `json:"pair,omitempty"`
	PairLimits string `json:"pair_limits,omitempty"`
	// Load is a line of limits with a load (see ParseGoal), in place of PowerW and TimeMS; "" without a load.
	Load string `json:"load,omitempty"`
}

// DefaultForm returns the form for a board that has none yet.
func DefaultForm(presets []tegra.Preset) Form {
	return Form{Kind: WithinPower, PowerW: []float64{outlook.DefaultPowerW(presets)}, TimeMS: []float64{100},
		Depth: optimize.Quick.String(), Coverage: campaigns.CoverLimit.String()}
}

// Typed parses the line of limits with a load; zero if it is empty or invalid.
func (c Form) Typed() mix.Goal {
	g, err := mix.ParseGoal(c.Load)
	if err != nil {
		return mix.Goal{}
	}
	g.Limit.Energy = c.Kind == LeastEnergy
	return g
}

// First returns the first goal of the form.
func (c Form) First() mix.Goal {
	return cmp.Or(c.Typed(), mix.Goal{Limit: c.Limits()[0]})
}

// Limits returns the limits of the form.
func (c *Form) Limits() []optimize.Limit {
	var out []optimize.Limit
	switch c.Kind {
	case LeastEnergy:
		return []optimize.Limit{{Energy: true}}
	case WithinTime:
		for _, ms := range c.TimeMS {
			out = append(out, optimize.Limit{TimeMS: ms})
		}
	default:
		for _, w := range c.PowerW {
			out = append(out, optimize.Limit{PowerW: w})
		}
	}
	return out
}

// over replaces empty or invalid fields by those of d.
func (c Form) over(d Form) Form {
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	if n := len(c.PowerW); n == 0 || n > MostLimits || slices.ContainsFunc(c.PowerW, bad) {
		c.PowerW = d.PowerW
	}
	if n := len(c.TimeMS); n == 0 || n > MostLimits || slices.ContainsFunc(c.TimeMS, bad) {
		c.TimeMS = d.TimeMS
	}
	if !slices.Contains([]Kind{WithinPower, WithinTime, LeastEnergy}, c.Kind) {
		c.Kind = d.Kind
	}
	c.Depth, c.Coverage = cmp.Or(c.Depth, d.Depth), cmp.Or(c.Coverage, d.Coverage)
	return c
}

const mostForm = 10_000 // bytes of the file

// formFile returns the path of the form for the session's board.
func formFile(s *session.Session) string {
	return s.StateFile("tune-" + safefile.Name(s.Board()) + ".json")
}

// LastForm returns the last form on this board, or the default if its file is missing or damaged.
func LastForm(s *session.Session) Form {
	data, _ := safefile.Read(formFile(s), mostForm)
	return parseForm(data, DefaultForm(s.Device.Presets()))
}

func parseForm(data []byte, otherwise Form) Form {
	var c Form
	if json.Unmarshal(data, &c) != nil {
		return otherwise
	}
	return c.over(otherwise)
}

// KeepForm stores the form for this board.
func KeepForm(s *session.Session, c Form) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(formFile(s)), 0o755); err != nil {
		return err
	}
	return safefile.Replace(formFile(s), data)
}
