package soak

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep"
	"jtune/telemetry/hold"
	"jtune/telemetry/sources"
)

// plan is a soak's request and the board's state before it, as stored in its folder. Together with the samples it is
// enough to judge a killed soak and to resume it. 0 means unset.
type plan struct {
	Format      int                `toml:"format"`
	Mode        string             `toml:"mode,omitempty"`  // set for the soak: cores,cpu_khz,gpu_hz,mem_hz
	Found       string             `toml:"found,omitempty"` // mode of the board before, if a mode expresses it
	ForS        float64            `toml:"for_s,omitempty"`
	UntilSteady bool               `toml:"until_steady,omitempty"`
	GoOn        bool               `toml:"go_on,omitempty"`
	RestS       float64            `toml:"rest_s,omitempty"`
	Limits      metric.Limits      `toml:"limits"`
	TripC       float64            `toml:"trip_c,omitempty"`   // the lowest trip point
	CritA       map[string]float64 `toml:"crit_a,omitempty"`   // critical currents of the power monitors, by rail
	MaxA        map[string]float64 `toml:"max_a,omitempty"`    // their warning currents
	Watched     []string           `toml:"watched,omitempty"`  // sources that answered when the soak began
	Settings    map[string]string  `toml:"settings,omitempty"` // knob files then
	Signals     map[string]int64   `toml:"signals,omitempty"`  // counts of the signals then
	IdleC       float64            `toml:"idle_c,omitempty"`   // hottest zone before
	Load        string             `toml:"load,omitempty"`     // what the envelope reports to keep busy
}

const (
	planName   = "soak.toml"
	planFormat = 1
	mostPlan   = 64 << 10
)

// modeText formats a mode for a plan; "" for none.
func modeText(m tegra.Val[tegra.Mode]) string {
	if !m.OK {
		return ""
	}
	return strings.Join(sweep.ModeFields(m.V), ",")
}

// modeOf parses the text of modeText.
func modeOf(text string) (m tegra.Val[tegra.Mode], err error) {
	if text == "" {
		return m, nil
	}
	mode, err := sweep.ParseMode(strings.Split(text, ","))
	return tegra.Val[tegra.Mode]{V: mode, OK: err == nil}, err
}

// planOf returns the plan of a request; before is a reading of the idle board.
func planOf(r Request, found tegra.Val[tegra.Mode], before tegra.Reading) plan {
	p := plan{Format: planFormat, Found: modeText(found), ForS: r.lasts().Seconds(), UntilSteady: r.UntilSteady,
		GoOn: r.GoOn, RestS: r.Rest.Seconds(), Limits: r.Limits,
		CritA: map[string]float64{}, MaxA: map[string]float64{}}
	if r.Mode != nil {
		p.Mode = modeText(tegra.Some(r.Mode.Mode))
	}
	for _, z := range before.Temps {
		if z.Trip.OK && (p.TripC == 0 || z.Trip.V.C < p.TripC) {
			p.TripC = z.Trip.V.C
		}
	}
	for _, rail := range before.Rails {
		if rail.Limits.Crit.OK {
			p.CritA[rail.Name] = rail.Limits.Crit.V
		}
		if rail.Limits.Max.OK {
			p.MaxA[rail.Name] = rail.Limits.Max.V
		}
	}
	p.IdleC = before.Hottest().Or(0)
	return p
}

// begins stores what the load is compared with: the state of the board when it begins. A resumed load keeps the
// settings that it began with.
func (p *plan) begins(now tegra.Reading, w *sources.Sources) {
	p.Watched, p.Signals = w.Names(), map[string]int64{}
	for _, s := range now.Signals {
		if s.Count.OK {
			p.Signals[s.Name] = s.Count.V
		}
	}
	p.Settings = map[string]string{}
	for _, f := range w.Settings().Files {
		p.Settings[f.Path] = f.Value
	}
}

// settings returns the knob files when the load began.
func (p plan) settings() (st tegra.State) {
	for _, path := range slices.Sorted(maps.Keys(p.Settings)) {
		st.Files = append(st.Files, tegra.StateFile{Path: path, Value: p.Settings[path]})
	}
	return st
}

func given(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: v > 0} }

// mode returns the mode under test; absent if no mode expresses the board's state.
func (p plan) mode() tegra.Val[tegra.Mode] {
	m, _ := modeOf(p.Mode)
	if !m.OK {
		m, _ = modeOf(p.Found)
	}
	return m
}

// asked returns the requested duration of the load; 0: until steady.
func (p plan) asked() time.Duration {
	if p.UntilSteady {
		return 0
	}
	return time.Duration(p.ForS * float64(time.Second))
}

// resumes returns the request that resumes a plan with the workload of r.
func (p plan) resumes(r Request) Request {
	r.For, r.UntilSteady, r.GoOn, r.Limits = p.asked(), p.UntilSteady, p.GoOn, p.Limits
	r.Rest, r.Mode = time.Duration(p.RestS*float64(time.Second)), nil
	if m, _ := modeOf(p.Mode); m.OK {
		r.Mode = &tegra.Request{Mode: m.V}
	}
	return r
}

func (p plan) write(dir string) error {
	data, err := tomlfile.Encode(planName, "# The settings of a soak. jtune runs nothing because of this file.", p)
	if err != nil {
		return err
	}
	return safefile.Replace(filepath.Join(dir, planName), data)
}

// readPlan reads a file that may come from anyone.
func readPlan(dir string) (p plan, err error) {
	path := filepath.Join(dir, planName)
	data, err := safefile.Read(path, mostPlan)
	if err != nil {
		return p, fmt.Errorf("soak: %w", err)
	}
	return parsePlan(path, string(data))
}

func parsePlan(path, data string) (p plan, err error) {
	if _, err := tomlfile.Decode(path, data, &p); err != nil {
		return plan{}, err
	}
	_, bad := modeOf(p.Mode)
	if bad == nil {
		_, bad = modeOf(p.Found)
	}
	most := longest.Seconds()
	switch {
	case p.Format != planFormat:
		return plan{}, fmt.Errorf("%s: format %d, this jtune reads format %d", path, p.Format, planFormat)
	case bad != nil:
		return plan{}, fmt.Errorf("%s: %w", path, bad)
	case !(p.ForS >= 0 && p.ForS <= 1000*most) || !(p.RestS >= 0 && p.RestS <= most):
		return plan{}, fmt.Errorf("%s: invalid times", path)
	}
	if p.Limits == (metric.Limits{}) {
		p.Limits = limitsOfOld(data)
	}
	p.Load = text.Clip(text.OneLine(p.Load))
	for i := range p.Watched {
		p.Watched[i] = text.OneLine(p.Watched[i])
	}
	return p, nil
}

// limitsOfOld returns the limits of a plan that an older version of jtune wrote.
func limitsOfOld(data string) metric.Limits {
	var old struct {
		W     float64 `toml:"limit_w"`
		C     float64 `toml:"limit_c"`
		A     float64 `toml:"limit_a"`
		V     float64 `toml:"limit_v"`
		RailA string  `toml:"rail_a"`
		RailV string  `toml:"rail_v"`
	}
	_, _ = tomlfile.Decode(planName, data, &old) // it was decoded before
	return metric.Power.Max(old.W).And(metric.Temperature.Max(old.C)).
		With(metric.Bound{Metric: metric.Current, On: text.OneLine(old.RailA), Value: old.A}).
		With(metric.Bound{Metric: metric.Voltage, On: text.OneLine(old.RailV), Value: old.V})
}

// watcher returns a watcher for the plan's soak, whose load starts at begun.
func (p plan) watcher(b tegra.Board, begun time.Duration, wall time.Time) *hold.Watcher {
	var counted tegra.Signals
	for _, name := range slices.Sorted(maps.Keys(p.Signals)) {
		counted = append(counted, tegra.Signal{Name: name, Count: tegra.Some(p.Signals[name])})
	}
	return hold.New(
		hold.Start{Board: b, Counted: counted, Limits: p.Limits, Begun: begun, Wall: wall, Watched: p.Watched,
			IdleC: given(p.IdleC)},
	)
}
