// Package sources follows each source of a result by itself: sensors that answer, settings that stay, clocks that
// follow their settings, a machine that is awake. An aggregate never stands for its parts: the hottest zone of those
// that are left says nothing of the zone that died.
//
//	(reading, settings, guard, sleep) ──► Sources.Look ──► Faults of one sample
package sources

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/tegra"
)

// FaultKind is what can be wrong with a source.
type FaultKind string

// Kinds of faults.
const (
	Lost    FaultKind = "lost"    // it does not answer
	Frozen  FaultKind = "frozen"  // it repeats a value that must change
	Changed FaultKind = "changed" // a setting is not what it was at the start
	Slow    FaultKind = "slow"    // a clock runs below its setting
	Asleep  FaultKind = "asleep"  // the machine was suspended
	Shared  FaultKind = "shared"  // another job measured on the board
)

// Fault is what is wrong with a source in one sample. Was and Is are the value at the start, or the setting, and the
// one now; of a clock in hertz, of a sleep in seconds.
type Fault struct {
	Kind    FaultKind
	Source  string
	Was, Is string
}

func (f Fault) String() string {
	switch f.Kind {
	case Changed:
		return fmt.Sprintf("%s was changed from %s to %s", f.Source, f.Was, f.Is)
	case Slow:
		to := "below what is set"
		if is := f.Freq(f.Is); is.OK {
			to = "to " + is.V.String()
		}
		return f.Source + " clock fell " + to
	case Frozen:
		return fmt.Sprintf("%s repeats %s", f.Source, f.Is)
	case Asleep:
		return "the board was suspended"
	case Shared:
		return f.Source + " measured on the board too"
	}
	return f.Source + " does not answer"
}

// Freq parses a clock of a fault; absent if it is unknown.
func (f Fault) Freq(text string) tegra.Val[tegra.Freq] {
	v, err := strconv.ParseInt(text, 10, 64)
	return tegra.Val[tegra.Freq]{V: tegra.Freq(v), OK: err == nil && v > 0}
}

// Slept returns the length of a sleep.
func (f Fault) Slept() time.Duration {
	s, _ := strconv.ParseFloat(f.Is, 64)
	return time.Duration(s * float64(time.Second))
}

// Funcs are what Sources ask besides the readings; nil means that there is no such source.
type Funcs struct {
	Settings func() tegra.State   // the knob files
	Asleep   func() time.Duration // since the machine started
	Guard    func() bool          // reports whether the process that holds the settings is there
	Beside   func() []string      // names the other jobs on the board
}

// Sources follows the sources of a result.
type Sources struct {
	from     Funcs
	names    []string    // that answered at the start
	settings tegra.State // at the start
	changed  []Fault     // at the last look at the settings
	looked   time.Duration
	shared   []Fault // at the last look
	asked    time.Duration
	limits   []tegra.Val[tegra.Freq] // of the reading at that time
	slept    time.Duration
	clocks   map[string]*clocked
	zones    map[string]*stillness
	power    repeats
}

// settingsEvery is the time between two looks at the settings, about a hundred small files. They are looked at at once
// when the limits in a reading change.
const settingsEvery = 5 * time.Second

// New follows the sources that answer in a reading, and settings, against their state now. expected holds
// settings that were just written: they replace what is read now, so that a change right after the write is noticed.
func New(start tegra.Reading, from Funcs, expected tegra.State) *Sources {
	w := &Sources{from: from, names: Answers(start), clocks: map[string]*clocked{}, zones: map[string]*stillness{},
		looked: -settingsEvery, asked: -settingsEvery}
	if from.Settings != nil {
		w.settings = from.Settings()
		for i, f := range w.settings.Files {
			if v, ok := expected.Get(f.Path); ok {
				w.settings.Files[i].Value = v
			}
		}
	}
	if from.Asleep != nil {
		w.slept = from.Asleep()
	}
	if from.Guard != nil {
		w.names = append(w.names, Guard)
	}
	return w
}

// Expect adds sources that answered earlier, and must still.
func (w *Sources) Expect(names []string) {
	for _, name := range names {
		if name != Guard && !slices.Contains(w.names, name) {
			w.names = append(w.names, name)
		}
	}
}

// Names lists the sources that must answer.
func (w *Sources) Names() []string { return slices.Clone(w.names) }

// Settings returns the settings that must stay.
func (w *Sources) Settings() tegra.State { return w.settings }

// Guard is the name of the process that holds the settings, among the sources.
const Guard = "the guard"

// Answers lists the sources that answer in a reading. A part that is powered down or offline answers with that.
func Answers(r tegra.Reading) (names []string) {
	missing := func(name string) bool {
		return slices.ContainsFunc(r.Missing, func(m tegra.Missing) bool { return m.Name == name && !m.PoweredDown() })
	}
	add := func(is bool, name string) {
		if is {
			names = append(names, name)
		}
	}
	for _, z := range r.Temps {
		add(!z.Dummy(), "zone "+z.Name)
	}
	for _, name := range r.TempsOff {
		add(!missing("temperature "+name), "zone "+name)
	}
	add(len(r.Temps) > 0, "the temperature")
	add(r.TotalW.OK, "the power")
	for _, rail := range r.Rails {
		add(rail.PowerW.OK, "rail "+rail.Name)
		add(rail.Amperes.OK, "the current of "+rail.Name)
		add(rail.Volts.OK, "the voltage of "+rail.Name)
	}
	for i, c := range r.Cores {
		add(c.Freq.OK || !c.Online, "the clock of core "+strconv.Itoa(i))
	}
	add(r.GPU.Actual.OK || len(r.Cores) > 0 && !missing("GPU clock"), "the GPU clock")
	add(r.EMC.Actual.OK, "the memory clock")
	for _, s := range r.Signals {
		add(s.Count.OK, "the count of "+s.Name)
		add(s.Alarm.OK, "the alarm of "+s.Name)
	}
	add(r.Heat.OK, "the cooling devices")
	return names
}

// Look returns what is wrong at time t.
func (w *Sources) Look(t time.Duration, r tegra.Reading) (faults []Fault) {
	faults = w.lost(r)
	limits := limitsOf(r)
	if w.from.Settings != nil && (t-w.looked >= settingsEvery || !slices.Equal(limits, w.limits)) {
		w.changed, w.looked, w.limits = w.differences(w.from.Settings()), t, limits
	}
	if w.from.Beside != nil && t-w.asked >= settingsEvery {
		w.shared, w.asked = nil, t
		for _, job := range w.from.Beside() {
			w.shared = append(w.shared, Fault{Kind: Shared, Source: job})
		}
	}
	faults = append(faults, w.shared...)
	if !r.Heat.Or(false) { // a cooling device lowers limits too
		faults = append(faults, w.changed...)
	}
	faults = append(faults, w.slow(r)...)
	for _, z := range r.Temps {
		if z.Dummy() {
			continue
		}
		s := w.zones[z.Name]
		if s == nil {
			s = new(stillness)
			w.zones[z.Name] = s
		}
		if s.frozen(t, z.C) {
			faults = append(faults, Fault{Kind: Frozen, Source: "zone " + z.Name, Is: fmt.Sprintf("%.3f °C", z.C)})
		}
	}
	if p := r.TotalW; p.OK && w.power.frozen(t, p.V) {
		faults = append(faults, Fault{Kind: Frozen, Source: "the power", Is: fmt.Sprintf("%.3f W", p.V)})
	}
	if w.from.Asleep != nil {
		if slept := w.from.Asleep(); slept-w.slept > leastSleep {
			faults = append(faults, Fault{Kind: Asleep, Source: "the board",
				Is: strconv.FormatFloat((slept - w.slept).Seconds(), 'f', 1, 64)})
			w.slept = slept
		}
	}
	return faults
}

// limitsOf lists the limits of a reading; those of a core that is offline are absent.
func limitsOf(r tegra.Reading) []tegra.Val[tegra.Freq] {
	out := []tegra.Val[tegra.Freq]{r.GPU.Min, r.GPU.Max}
	for _, c := range r.Cores {
		out = append(out, c.Min, c.Max)
	}
	return out
}

// leastSleep is more than two clocks differ by when they are read one after the other.
const leastSleep = time.Second

// lost lists the sources that do not answer. A rail stands for its values where all are lost.
func (w *Sources) lost(r tegra.Reading) (faults []Fault) {
	answers := Answers(r)
	if w.from.Guard != nil && w.from.Guard() {
		answers = append(answers, Guard)
	}
	gone := func(name string) bool { return slices.Contains(w.names, name) && !slices.Contains(answers, name) }
	for _, name := range w.names {
		_, rail, of := strings.Cut(name, " of ")
		if gone(name) && !(of && gone("rail "+rail)) {
			faults = append(faults, Fault{Kind: Lost, Source: name})
		}
	}
	return faults
}

// differences compares settings with those of the start. Where a cluster went offline its files are gone too.
func (w *Sources) differences(now tegra.State) (faults []Fault) {
	var gone []Fault
	for _, f := range w.settings.Files {
		switch is, ok := now.Get(f.Path); {
		case !ok:
			gone = append(gone, Fault{Kind: Lost, Source: tegra.SettingName(f.Path)})
		case is != f.Value:
			faults = append(faults, Fault{Changed, tegra.SettingName(f.Path), f.Value, is})
		}
	}
	if len(faults) == 0 {
		return gone
	}
	return faults
}
