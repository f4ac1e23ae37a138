package kept

import (
	"os"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/profiles"
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

// left compares a reading with the kept mode: whether the board has left it, and by what in words, "" if nothing is
// known. booted is when the board started, others are programs that may have changed it.
func (k Mode) left(r tegra.Reading, d tegra.Device, booted tegra.Val[time.Time], others []rivals.Rival) (by string,
	left bool) {
	lock := k.Free || r.Locked.Or(true)
	if !k.Mode.OK || r.Mode.OK && r.Mode.V == k.Mode.V && lock || !r.Mode.OK && len(r.Missing) > 0 {
		return "", false
	}
	name := tegra.NameNow(d, r)
	switch {
	case r.Heat.Or(false):
		by = "a thermal limit lowers clocks now"
	case booted.OK && booted.V.After(k.When):
		by = "a reboot came since, which forgets it"
	case r.Mode.OK && r.Locked.Or(false) && r.Mode.V == d.Space().Max():
		by = "its clocks are locked at their maximum, as by jetson_clocks"
	case name != "":
		by = "it is in " + name + ", as if set by nvpmodel"
	}
	for _, o := range others {
		if o.Active() && by == "" {
			by = o.Name + " is running, which changes " + string(o.Touches)
		}
	}
	return by, true
}

// bootSlack is how far the start of a board, computed from its uptime, may lie off.
const bootSlack = 2 * time.Minute

// booted returns when the board started, by its clock; absent for a virtual board or if it is unknown.
func booted(s *session.Session) (out tegra.Val[time.Time]) {
	if s.Virtual != nil {
		return out
	}
	if up := (profiles.System{FS: s.FS()}).Uptime(); up.OK {
		out = tegra.Some(time.Now().Add(-up.V - bootSlack))
	}
	return out
}

// Left says that the board has left its kept mode, in words; "" while it is in force, while a job of another jtune sets
// modes, or if none is known: a virtual board keeps nothing. since says when, if that was seen.
func Left(s *session.Session, r tegra.Reading, since tegra.Val[time.Time]) string {
	k, err := Last(s)
	if err != nil || s.Virtual != nil || !k.Mode.OK ||
		slices.ContainsFunc(preflight.Beside(s), func(o preflight.Owner) bool { return o.Alone }) {
		return ""
	}
	by, left := k.left(r, s.Device, booted(s), rivals.Find(s.FS(), r, s.Device.Presets(), os.Getpid()))
	if !left {
		return ""
	}
	when := "before jtune looked"
	if since.OK {
		when = since.V.Format("15:04:05")
	}
	return strings.Join(text.Said("the board has left the kept mode "+s.Device.Space().Format(k.Mode.V)+" since "+when,
		by), "; ")
}

// InForce reports whether the mode kept last is in force; absent if none is kept.
func InForce(s *session.Session, r tegra.Reading) tegra.Val[bool] {
	k, err := Last(s)
	if err != nil || !k.Mode.OK || s.Virtual != nil {
		return tegra.Val[bool]{}
	}
	_, left := k.left(r, s.Device, tegra.Val[time.Time]{}, nil)
	return tegra.Some(!left)
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
