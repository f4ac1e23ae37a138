package search

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"jtune/internal/safefile"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
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

// Kinds lists the kinds in the order of the dialog.
var Kinds = []Kind{WithinPower, WithinTime, LeastEnergy}

// Form is the last input to the Tune dialog on a board.
type Form struct {
	Workload string `json:"workload,omitempty"`
	Kind     Kind   `json:"goal,omitempty"`
	// Limits has a line of goals for each kind (see metric.ParseList).
	Limits   map[Kind]string `json:"limits,omitempty"`
	Depth    string          `json:"depth,omitempty"`
	Coverage string          `json:"coverage,omitempty"`
	// Pair is two workloads (see ParsePair), and PairLimits their limits (see metric.Parse); "" for one workload.
	Pair       string `json:"pair,omitempty"`
	PairLimits string `json:"pair_limits,omitempty"`
}

// DefaultForm returns the form for a board that has none yet.
func DefaultForm(presets []tegra.Preset) Form {
	watts := metric.Power.Max(outlook.DefaultPowerW(presets))
	return Form{Kind: WithinPower, Limits: map[Kind]string{WithinPower: watts.String(), WithinTime: "100 ms",
		LeastEnergy: metric.LeastEnergy.String()},
		Depth: optimize.Quick, Coverage: campaigns.CoverLimit}
}

// Goals returns the goals of a kind, which over checks.
func (c Form) Goals(of Kind) metric.Questions {
	q, _ := metric.ParseList(c.Limits[of], nil)
	return q
}

// First returns the first goal of the form.
func (c Form) First() metric.Question { return c.Goals(c.Kind).First() }

// over replaces empty or invalid fields by those of d.
func (c Form) over(d Form) Form {
	lines := c.Limits
	c.Limits = map[Kind]string{}
	for _, k := range Kinds {
		c.Limits[k] = lines[k]
		if n := len(c.Goals(k).Limits); n == 0 || n > MostLimits {
			c.Limits[k] = d.Limits[k]
		}
	}
	if !slices.Contains(Kinds, c.Kind) {
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
