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
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// MostLimits is how many limits one search may answer from the screens.
const MostLimits = 6

// Goal is the kind of a limit.
type Goal string

// Goals of a search.
const (
	WithinPower Goal = "power"  // fastest within watts
	WithinTime  Goal = "time"   // least power within milliseconds
	LeastEnergy Goal = "energy" // without a limit
)

// Choice is how the Tune dialog was answered last on a board.
type Choice struct {
	Workload string    `json:"workload,omitempty"`
	Goal     Goal      `json:"goal,omitempty"`
	PowerW   []float64 `json:"power_w,omitempty"`
	TimeMS   []float64 `json:"time_ms,omitempty"`
	Depth    string    `json:"depth,omitempty"`
	Coverage string    `json:"coverage,omitempty"`
	// Pair is two workloads, as ParsePair reads them, and PairLimits what was asked of them, as ParseAsked does; "":
	// one workload.
	Pair       string `json:"pair,omitempty"`
	PairLimits string `json:"pair_limits,omitempty"`
	// Load is a line of limits with a load, as ParseAsked reads it, in place of PowerW and TimeMS; "": none.
	Load string `json:"load,omitempty"`
}

// DefaultChoice is the one for a board on which none was made.
func DefaultChoice(presets []tegra.Preset) Choice {
	return Choice{Goal: WithinPower, PowerW: []float64{outlook.DefaultPowerW(presets)}, TimeMS: []float64{100},
		Depth: optimize.Quick.String(), Coverage: campaigns.CoverLimit.String()}
}

// Asked is the line of limits with a load; nil where there is none, or one that cannot be read.
func (c Choice) Asked() *serving.Asked {
	a, err := serving.ParseAsked(c.Load)
	if c.Load == "" || err != nil {
		return nil
	}
	a.Limit.Energy = c.Goal == LeastEnergy
	return &a
}

// Asks is what the choice asks for first.
func (c Choice) Asks() serving.Asked {
	if a := c.Asked(); a != nil {
		return *a
	}
	return serving.Asked{Limit: c.Limits()[0]}
}

// Limits are what the choice asks for.
func (c Choice) Limits() []optimize.Limit {
	var out []optimize.Limit
	switch c.Goal {
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

// over replaces what the choice leaves open, or has that cannot be, by d.
func (c Choice) over(d Choice) Choice {
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	if n := len(c.PowerW); n == 0 || n > MostLimits || slices.ContainsFunc(c.PowerW, bad) {
		c.PowerW = d.PowerW
	}
	if n := len(c.TimeMS); n == 0 || n > MostLimits || slices.ContainsFunc(c.TimeMS, bad) {
		c.TimeMS = d.TimeMS
	}
	if !slices.Contains([]Goal{WithinPower, WithinTime, LeastEnergy}, c.Goal) {
		c.Goal = d.Goal
	}
	c.Depth, c.Coverage = cmp.Or(c.Depth, d.Depth), cmp.Or(c.Coverage, d.Coverage)
	return c
}

const mostChoice = 10_000 // bytes of its file

// choiceFile is the file of the session's board.
func choiceFile(s *session.Session) string {
	return s.StateFile("tune-" + record.SafeName(s.Board()) + ".json")
}

// LastChoice is the last choice on this board, or the default: also where its file is missing
// or damaged.
func LastChoice(s *session.Session) Choice {
	data, _ := safefile.Read(choiceFile(s), mostChoice)
	return parseChoice(data, DefaultChoice(s.Device.Presets()))
}

func parseChoice(data []byte, otherwise Choice) Choice {
	var c Choice
	if json.Unmarshal(data, &c) != nil {
		return otherwise
	}
	return c.over(otherwise)
}

// KeepChoice remembers a choice for this board.
func KeepChoice(s *session.Session, c Choice) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(choiceFile(s)), 0o755); err != nil {
		return err
	}
	return safefile.Replace(choiceFile(s), data)
}
