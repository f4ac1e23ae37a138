package session

import (
	"jtune/profiles/record"
	"jtune/tegra"
)

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
