package tegra

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Signal is one warning about the module's supply: events that the kernel counts, and a state that the power monitor
// shows. An event says that something happened; it is not a state, and says nothing about the clocks.
type Signal struct {
	Name  string       `json:"name"`  // UnderVoltage, AverageCurrent or InstantCurrent; else the name of its file
	Count Val[int64]   `json:"count"` // events since boot; absent if they are not counted or cannot be read
	PerS  Val[float64] `json:"per_s"` // rate over the last ratedSpan; absent at the first reading
	Alarm Val[bool]    `json:"alarm"` // the state holds now, by an alarm or the volts; absent if neither shows it
	Limit Val[float64] `json:"limit"` // V for UnderVoltage, else A of the supply rail; absent if none is known
	File  string       `json:"-"`     // "oc3"; "" if the events are not counted
}

// Signals are a board's signals in the order of their files. Each stands for itself: they are never summed.
type Signals []Signal

// Names of signals. The kernel's counters oc1 to oc3 have these meanings on Orin and Thor. The two currents are also
// those of an INA3221's alarms: the warning limit is compared with an average, the critical one with every conversion
// (kernel, Documentation/hwmon/ina3221).
const (
	UnderVoltage   = "under-voltage"
	AverageCurrent = "average over-current"
	InstantCurrent = "instantaneous over-current"
)

// Find returns the signal of that name; false if the board has none.
func (l Signals) Find(name string) (Signal, bool) {
	for _, s := range l {
		if s.Name == name {
			return s, true
		}
	}
	return Signal{}, false
}

// Since returns how often each signal came after a baseline; signals without a count in both are left out.
func (l Signals) Since(baseline Signals) (out []Events) {
	for _, s := range l {
		was, _ := baseline.Find(s.Name)
		if s.Count.OK && was.Count.OK && s.Count.V > was.Count.V {
			out = append(out, Events{s, s.Count.V - was.Count.V})
		}
	}
	return out
}

// Known returns the signals with the counts of before where theirs cannot be read: the next count is compared with
// those.
func (l Signals) Known(before Signals) Signals {
	out := slices.Clone(l)
	for i, s := range out {
		if was, _ := before.Find(s.Name); !s.Count.OK {
			out[i].Count = was.Count
		}
	}
	return out
}

// Events are events of one signal.
type Events struct {
	Signal
	N int64
}

// Label names a signal with its counter's file, if the name is not the file's: "under-voltage (oc1)".
func (s Signal) Label() string {
	if s.File == "" || s.File == s.Name {
		return s.Name
	}
	return s.Name + " (" + s.File + ")"
}

// Remedy returns what to do about a signal; "" if its meaning is not known.
func (s Signal) Remedy() string {
	switch s.Name {
	case UnderVoltage:
		return "the supply, its cable or the carrier does not hold the voltage: try another"
	case AverageCurrent:
		return "set a lower power mode, or a larger current limit if the supply allows it"
	case InstantCurrent:
		return "short peaks above the current limit: a lower power mode has fewer; a stronger supply does not help"
	}
	return ""
}

// ratedSpan is the span over which rates of events are taken, and ratedEvery the least between two counts of it.
const (
	ratedSpan  = 10 * time.Second
	ratedEvery = 500 * time.Millisecond
)

// floorV is the least voltage of a module that is fed at 5 V, which is below fedBelowV (carrier specifications of the
// Orin Nano and NX).
const (
	floorV    = 4.75
	fedBelowV = 6
)

// signalGroup holds the counters.
type signalGroup struct{ counters []*counter }

// counter is one counter of events and its counts of the last ratedSpan.
type counter struct {
	*source
	name, file string
	past       []counted
}

type counted struct {
	t time.Duration
	n int64
}

// signals finds the counters of the kernel's soctherm driver.
func (f *finder) signals(soc string) *signalGroup {
	g := &signalGroup{}
	for _, file := range f.glob("/sys/class/hwmon/hwmon*/oc*_event_cnt") {
		c := &counter{source: newSource(f.fs, file), file: strings.TrimSuffix(path.Base(file), "_event_cnt")}
		c.name = c.file
		if soc == "tegra234" || soc == "tegra264" {
			switch c.file {
			case "oc1":
				c.name = UnderVoltage
			case "oc2":
				c.name = AverageCurrent
			case "oc3":
				c.name = InstantCurrent
			}
		}
		g.counters = append(g.counters, c)
		f.found("events of "+c.name, file, "")
	}
	if len(g.counters) == 0 {
		f.missing("events of the supply", "/sys/class/hwmon/hwmon*/oc*_event_cnt", "no counter")
	}
	return g
}

func (g *signalGroup) read(r *Reading, miss func(string, error)) {
	for _, c := range g.counters {
		s := Signal{Name: c.name, File: c.file}
		if n, err := c.int(); err == nil {
			s.Count, s.PerS = Some(n), c.rate(r.T, n)
		} else {
			miss("events of "+c.name, err)
		}
		r.Signals = append(r.Signals, s)
	}
}

// rate adds a count and returns the events per second since the oldest one kept.
func (c *counter) rate(t time.Duration, n int64) (perS Val[float64]) {
	if k := len(c.past); k > 0 && (n < c.past[k-1].n || t < c.past[k-1].t) {
		c.past = nil // the counter was reset
	}
	for len(c.past) > 1 && t-c.past[1].t >= ratedSpan {
		c.past = c.past[1:]
	}
	if len(c.past) > 0 && t > c.past[0].t {
		perS = Some(float64(n-c.past[0].n) / (t - c.past[0].t).Seconds())
	}
	if k := len(c.past); k == 0 || t-c.past[k-1].t >= ratedEvery {
		c.past = append(c.past, counted{t, n})
	}
	return perS
}

func (g *signalGroup) close() {
	for _, c := range g.counters {
		c.close()
	}
}

// alarmed adds the power monitor's alarms and limits to a reading's signals. A supply below the least voltage that the
// module needs is an alarm, too.
func (r *Reading) alarmed(feed string) {
	at := func(name string) *Signal {
		i := slices.IndexFunc(r.Signals, func(s Signal) bool { return s.Name == name })
		if i < 0 {
			r.Signals, i = append(r.Signals, Signal{Name: name}), len(r.Signals)
		}
		return &r.Signals[i]
	}
	for _, a := range r.Alarms {
		s := at(a.Signal)
		s.Alarm = Some(s.Alarm.V || a.On)
	}
	for _, rail := range r.Rails {
		if rail.Name != feed {
			continue
		}
		limits := map[string]Val[float64]{AverageCurrent: rail.Limits.Max, InstantCurrent: rail.Limits.Crit}
		for name, limit := range limits {
			if _, there := r.Signals.Find(name); there {
				at(name).Limit = limit
			}
		}
		if _, there := r.Signals.Find(UnderVoltage); there && rail.Volts.OK && rail.Volts.V < fedBelowV {
			below := rail.Volts.V < floorV
			s := at(UnderVoltage)
			s.Limit, s.Alarm = Some(floorV), Some(below)
			r.Alarms = append(r.Alarms, Alarm{Rail: feed, Signal: UnderVoltage, On: below})
		}
	}
}
