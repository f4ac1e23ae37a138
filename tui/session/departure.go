package session

import (
	"fmt"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/rivals"
)

// Kept is the mode that was kept last on a board. The zero value means that none is known.
type Kept struct {
	Mode tegra.Val[tegra.Mode]
	Free bool      // clocks were left free below it
	When time.Time // when it was kept
}

// Departure says that a board has left its kept mode.
type Departure struct {
	Kept tegra.Mode
	By   string // what did it, in words; "" if it is unknown
}

// Left compares a reading with the kept mode; nil while it is in force, or if it is unknown whether it is. booted is
// when the board started, others are programs that may have changed it.
func (k Kept) Left(r tegra.Reading, d tegra.Device, booted tegra.Val[time.Time], others []rivals.Rival) *Departure {
	lock := k.Free || r.Locked.Or(true)
	if !k.Mode.OK || r.Mode.OK && r.Mode.V == k.Mode.V && lock || !r.Mode.OK && len(r.Missing) > 0 {
		return nil
	}
	out := &Departure{Kept: k.Mode.V}
	name := tegra.NameNow(d, r)
	switch {
	case r.Heat.Or(false):
		out.By = "a thermal limit"
	case booted.OK && booted.V.After(k.When):
		out.By = "a reboot, which forgets it"
	case r.Mode.OK && r.Locked.Or(false) && r.Mode.V == d.Space().Max():
		out.By = "jetson_clocks, or a program like it"
	case name != "":
		out.By = "nvpmodel, or a program like it: the board is in " + name
	}
	for _, o := range others {
		if o.Active() && out.By == "" {
			out.By = o.Name + ", which is running"
		}
	}
	return out
}

// Text describes a departure; since says when, if this program saw it.
func (d Departure) Text(space *tegra.Space, since tegra.Val[time.Time]) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the board has left the kept mode %s ", space.Format(d.Kept))
	if since.OK {
		b.WriteString("since " + since.V.Format("15:04:05"))
	} else {
		b.WriteString("since before jtune looked")
	}
	if d.By != "" {
		b.WriteString(", by " + d.By)
	}
	return b.String()
}

// bootSlack is how far the start of a board, computed from its uptime, may lie off.
const bootSlack = 2 * time.Minute

// Booted returns when the board started, by its clock; absent for a virtual board or if it is unknown.
func (s *Session) Booted() (out tegra.Val[time.Time]) {
	if s.Virtual != nil {
		return out
	}
	data, err := s.fs.ReadFile("/proc/uptime")
	var up float64
	if _, bad := fmt.Sscan(string(data), &up); err != nil || bad != nil {
		return out
	}
	return tegra.Some(time.Now().Add(-time.Duration(up * float64(time.Second))).Add(-bootSlack))
}

// LeftKept compares the board with its kept mode, as Kept.Left. A virtual board keeps nothing.
func (s *Session) LeftKept(r tegra.Reading, others []rivals.Rival) *Departure {
	if s.Virtual != nil {
		return nil
	}
	k, err := LastKept(s)
	if err != nil {
		return nil
	}
	return k.Left(r, s.Device, s.Booted(), others)
}

// InKeptMode reports whether the mode kept last is in force; absent if none is kept.
func (s *Session) InKeptMode(r tegra.Reading) tegra.Val[bool] {
	k, err := LastKept(s)
	if err != nil || !k.Mode.OK || s.Virtual != nil {
		return tegra.Val[bool]{}
	}
	return tegra.Some(k.Left(r, s.Device, tegra.Val[time.Time]{}, nil) == nil)
}
