package kept

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/tui/session"
	"jtune/tui/session/preflight"
)

// Mode is the mode that was kept last on a board. The zero value means that none is known.
type Mode struct {
	Mode tegra.Val[tegra.Mode]
	Free bool      // clocks were left free below it
	When time.Time // when it was kept
}

// departure says that a board has left its kept mode.
type departure struct {
	kept tegra.Mode
	by   string // what did it or what the board shows of it, in words; "" if nothing is known
}

// left compares a reading with the kept mode; nil while it is in force, or if it is unknown whether it is. booted is
// when the board started, others are programs that may have changed it.
func (k Mode) left(r tegra.Reading, d tegra.Device, booted tegra.Val[time.Time], others []rivals.Rival) *departure {
	lock := k.Free || r.Locked.Or(true)
	if !k.Mode.OK || r.Mode.OK && r.Mode.V == k.Mode.V && lock || !r.Mode.OK && len(r.Missing) > 0 {
		return nil
	}
	out := &departure{kept: k.Mode.V}
	name := tegra.NameNow(d, r)
	switch {
	case r.Heat.Or(false):
		out.by = "a thermal limit lowers clocks now"
	case booted.OK && booted.V.After(k.When):
		out.by = "a reboot came since, which forgets it"
	case r.Mode.OK && r.Locked.Or(false) && r.Mode.V == d.Space().Max():
		out.by = "its clocks are locked at their maximum, as by jetson_clocks"
	case name != "":
		out.by = "it is in " + name + ", as if set by nvpmodel"
	}
	for _, o := range others {
		if o.Active() && out.by == "" {
			out.by = o.Name + " is running, which changes " + string(o.Touches)
		}
	}
	return out
}

// text describes a departure; since says when, if this program saw it.
func (d departure) text(space *tegra.Space, since tegra.Val[time.Time]) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the board has left the kept mode %s ", space.Format(d.kept))
	if since.OK {
		b.WriteString("since " + since.V.Format("15:04:05"))
	} else {
		b.WriteString("since before jtune looked")
	}
	if d.by != "" {
		b.WriteString("; " + d.by)
	}
	return b.String()
}

// bootSlack is how far the start of a board, computed from its uptime, may lie off.
const bootSlack = 2 * time.Minute

// booted returns when the board started, by its clock; absent for a virtual board or if it is unknown.
func booted(s *session.Session) (out tegra.Val[time.Time]) {
	if s.Virtual != nil {
		return out
	}
	data, err := s.FS().ReadFile("/proc/uptime")
	var up float64
	if _, bad := fmt.Sscan(string(data), &up); err != nil || bad != nil {
		return out
	}
	return tegra.Some(time.Now().Add(-time.Duration(up * float64(time.Second))).Add(-bootSlack))
}

// Left says that the board has left its kept mode, in words; "" while it is in force, while a job of another jtune sets
// modes, or if none is known: a virtual board keeps nothing. since says when, if that was seen.
func Left(s *session.Session, r tegra.Reading, since tegra.Val[time.Time]) string {
	k, err := Last(s)
	if err != nil || s.Virtual != nil || !k.Mode.OK ||
		slices.ContainsFunc(preflight.Beside(s), func(o preflight.Owner) bool { return o.Alone }) {
		return ""
	}
	left := k.left(r, s.Device, booted(s), rivals.Find(s.FS(), r, s.Device.Presets(), os.Getpid()))
	if left == nil {
		return ""
	}
	return left.text(s.Device.Space(), since)
}

// InForce reports whether the mode kept last is in force; absent if none is kept.
func InForce(s *session.Session, r tegra.Reading) tegra.Val[bool] {
	k, err := Last(s)
	if err != nil || !k.Mode.OK || s.Virtual != nil {
		return tegra.Val[bool]{}
	}
	return tegra.Some(k.left(r, s.Device, tegra.Val[time.Time]{}, nil) == nil)
}

// Watch compares a board with its kept mode whenever its settings change. The zero value is ready to use.
type Watch struct {
	at     tegra.Setup // compared last
	heat   bool
	looked bool
}

// Due reports whether a reading is to be compared, and since when its settings are so; absent: since before the first.
func (w *Watch) Due(r tegra.Reading, at time.Time) (since tegra.Val[time.Time], due bool) {
	now := Watch{r.Setup(), r.Heat.Or(false), true}
	if *w == now {
		return since, false
	}
	since = tegra.Val[time.Time]{V: at, OK: w.looked}
	*w = now
	return since, true
}
