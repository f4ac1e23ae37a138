package measure

import (
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Answer is the setting that was found for a limit, and what is known of it.
type Answer struct {
	optimize.Result
	Limit    optimize.Limit
	Standing optimize.Standing // where it stands against Limit
	Versus   outlook.Versus    // empty where no model could be fitted
	Ask      mix.Ask           // with the load, where there is one
	Served   *mix.Outcome      // under the load of Ask; nil without one
	Serving  *record.Serving   // what inference did in the setting, by its newest reading; nil for training
	Sent     *Sent             // what it did with requests at the rate, or those of users; nil where that was not tried
}

// Saves is the saving against the mode that the board was in, or against MAXN where that is
// not known; absent where neither is, or the board was in the answer itself.
func (a Answer) Saves() (outlook.Comparison, bool) {
	for _, c := range []*outlook.Comparison{a.Versus.Present, a.Versus.MaxN} {
		if c != nil {
			out := *c
			for _, same := range a.Versus.Distinct() {
				if same.Other.Mode == c.Other.Mode {
					out.Name = same.Name
				}
			}
			return out, c.Other.Mode != a.Mode
		}
	}
	return outlook.Comparison{}, false
}

// Sent is what a setting did when requests came at the rate that was asked for, or as the users of a server sent them.
type Sent struct {
	tegra.Setting
	Serving   *record.Serving
	MeanW     tegra.Val[float64] // waiting included
	LatencyMS tegra.Val[float64] // at the quantile, from the scheduled arrival; absent with too few requests for it
	Why       string             // why it does not meet what was asked for; "" where it does
	Unsure    string             // why that is not known; "" where it is
	Users     bool               // the requests were those of a server's users
	Dir       string             // the campaign folder; "" where no requests were waited for
}

// Meets reports whether it does, as far as it is known.
func (s Sent) Meets() bool { return s.Why == "" }
