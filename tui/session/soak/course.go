package soak

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry/sources"
)

// Seen is a stored sample of a soak.
type Seen struct {
	AtS     float64 // since the load started
	Wall    time.Time
	Reading tegra.Reading // its only temperature is from the hottest zone
	StepMS  tegra.Val[float64]
	Part    tegra.Val[int64] // number of earlier resumes
	Faults  []sources.Fault
	watched bool // Faults were looked for; folders of earlier releases lack them
}

// TjC returns the temperature of the hottest zone.
func (s Seen) TjC() tegra.Val[float64] { return s.Reading.Hottest() }

// Rail returns a rail by name; its values are absent if there is no such rail.
func (s Seen) Rail(name string) tegra.RailReading {
	for _, r := range s.Reading.Rails {
		if r.Name == name {
			return r
		}
	}
	return tegra.RailReading{}
}

// line is a line of soak.csv; the columns of signals and rails follow.
type line struct {
	AtS       float64               `csv:"t_s,.1"`
	UnixS     float64               `csv:"unix_s,.1"`
	PowerW    csvlines.Signed       `csv:"power_w"`
	TjC       csvlines.Signed       `csv:"tj_c"`
	CPU       tegra.Val[tegra.Freq] `csv:"cpu_khz,1000"`
	CPUAsked  tegra.Val[tegra.Freq] `csv:"cpu_asked_khz,1000"`
	GPU       tegra.Val[tegra.Freq] `csv:"gpu_hz"`
	GPUAsked  tegra.Val[tegra.Freq] `csv:"gpu_asked_hz"`
	EMC       tegra.Val[tegra.Freq] `csv:"emc_hz"`
	EMCAsked  tegra.Val[tegra.Freq] `csv:"emc_asked_hz"`
	Locked    tegra.Val[bool]       `csv:"locked"`
	FanPct    tegra.Val[float64]    `csv:"fan_pct"`
	FanRPM    tegra.Val[int64]      `csv:"fan_rpm"`
	Throttled tegra.Val[bool]       `csv:"throttled"`
	Heat      tegra.Val[bool]       `csv:"heat"`
	Slow      slow                  `csv:"slow"`
	Alarms    alarms                `csv:"alarms"`
	RAM       tegra.Val[int64]      `csv:"ram_bytes"`
	Part      tegra.Val[int64]      `csv:"part"`
	Faults    faults                `csv:"faults"`
	StepMS    tegra.Val[float64]    `csv:"step_ms"`
	signals   tegra.Signals
	rails     record.Rails
}

func (s *Seen) line() line {
	r := &s.Reading
	return line{s.AtS, float64(s.Wall.UnixMilli()) / 1000, csvlines.Signed(r.TotalW), csvlines.Signed(s.TjC()),
		r.CPU.Actual, r.CPU.Max, r.GPU.Actual, r.GPU.Max, r.EMC.Actual, r.EMC.Max, r.Locked, r.FanPct, r.FanRPM,
		r.Throttled, r.Heat, r.Slow, r.Alarming(), r.RAMUsed, s.Part, s.Faults, s.StepMS, summed(r.Signals),
		slices.Clip(r.Rails)}
}

func (l *line) seen() Seen {
	s := Seen{AtS: l.AtS, Wall: time.UnixMilli(int64(l.UnixS * 1000)), StepMS: l.StepMS, Part: l.Part, Faults: l.Faults}
	r := &s.Reading
	r.TotalW, r.RAMUsed, r.FanPct, r.FanRPM = tegra.Val[float64](l.PowerW), l.RAM, l.FanPct, l.FanRPM
	r.CPU.Actual, r.CPU.Max, r.GPU.Actual, r.GPU.Max = l.CPU, l.CPUAsked, l.GPU, l.GPUAsked
	r.EMC.Actual, r.EMC.Max, r.Slow, r.Alarms = l.EMC, l.EMCAsked, l.Slow, l.Alarms
	r.Locked, r.Throttled, r.Heat, r.Signals, r.Rails = l.Locked, l.Throttled, l.Heat, l.signals, l.rails
	if l.TjC.OK {
		r.Temps = []tegra.TempReading{{Name: "hottest", C: l.TjC.V}}
	}
	return s
}

// faults is the list of what was wrong in a sample: "kind|source|was|is" with semicolons between them. Reading leaves
// out others.
type faults []sources.Fault

func (list *faults) CSV() string {
	clean := strings.NewReplacer("|", "/", ";", ",")
	var parts []string
	for _, f := range (*list)[:min(len(*list), mostFaults)] {
		parts = append(parts, strings.Join([]string{string(f.Kind), clean.Replace(f.Source), clean.Replace(f.Was),
			clean.Replace(f.Is)}, "|"))
	}
	return strings.Join(parts, ";")
}

func (list *faults) SetCSV(value string) bool {
	for part := range strings.SplitSeq(text.OneLine(value), ";") {
		if f := strings.Split(part, "|"); len(f) == 4 && len(*list) < mostFaults {
			*list = append(*list, sources.Fault{Kind: sources.FaultKind(f[0]), Source: f[1], Was: f[2], Is: f[3]})
		}
	}
	return true
}

// alarms are those that are on: the rail of a critical limit, another limit's with its signal.
type alarms []tegra.Alarm

func (list *alarms) CSV() string {
	var on []string
	for _, a := range *list {
		if a.Signal == tegra.InstantCurrent {
			on = append(on, a.Rail)
		} else {
			on = append(on, a.Rail+" ("+a.Signal+")")
		}
	}
	return strings.Join(on, ";")
}

func (list *alarms) SetCSV(value string) bool {
	for rail := range strings.SplitSeq(text.OneLine(value), ";") {
		a := tegra.Alarm{Rail: rail, Signal: tegra.InstantCurrent, On: true}
		if name, signal, other := strings.Cut(strings.TrimSuffix(rail, ")"), " ("); other {
			a.Rail, a.Signal = name, signal
		}
		*list = append(*list, a)
	}
	return true
}

// slow is the clocks that do not follow: "GPU=600000000/900000000".
type slow []tegra.SlowClock

func (list *slow) CSV() string {
	var out []string
	for _, c := range *list {
		out = append(out, fmt.Sprintf("%s=%d/%d", c.Name, c.Actual, c.Asked))
	}
	return strings.Join(out, ";")
}

func (list *slow) SetCSV(value string) bool {
	for part := range strings.SplitSeq(text.OneLine(value), ";") {
		name, clocks, _ := strings.Cut(part, "=")
		actual, asked, _ := strings.Cut(clocks, "/")
		a, err := strconv.ParseInt(actual, 10, 64)
		b, err2 := strconv.ParseInt(asked, 10, 64)
		if err != nil || err2 != nil {
			return false
		}
		*list = append(*list, tegra.SlowClock{Name: name, Core: strings.HasPrefix(name, "CPU"),
			Actual: tegra.Freq(a), Asked: tegra.Freq(b)})
	}
	return true
}

// Columns of signals: eventsColumn and the name, with _ for spaces. Folders of earlier versions have the sum of all
// counters instead, in sumColumn, which is shown under that name.
const (
	eventsColumn = "events_"
	sumColumn    = "over_currents"
	eventsSum    = "events of all counters together"
)

func eventsOf(signal string) string { return eventsColumn + strings.ReplaceAll(signal, " ", "_") }

// count is a number of events.
type count tegra.Val[int64]

func (c *count) CSV() string {
	if !c.OK {
		return ""
	}
	return strconv.FormatInt(c.V, 10)
}

func (c *count) SetCSV(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	*c = count{n, true}
	return err == nil
}

// summed adds the sum of all signals to them, for the files of earlier versions.
func summed(list tegra.Signals) tegra.Signals {
	sum := tegra.Signal{Name: eventsSum}
	for _, one := range list {
		if one.Name == eventsSum {
			return list
		}
		if one.Count.OK {
			sum.Count = tegra.Some(sum.Count.V + one.Count.V)
		}
	}
	return append(slices.Clip(list), sum)
}

// Column implements csvlines.Named: the columns of signals and rails.
func (l *line) Column(column string) csvlines.Form {
	name, ok := strings.CutPrefix(column, eventsColumn)
	if name = strings.ReplaceAll(text.OneLine(name), "_", " "); column == sumColumn {
		name, ok = eventsSum, true
	}
	if !ok {
		return l.rails.Column(column)
	}
	i := slices.IndexFunc(l.signals, func(x tegra.Signal) bool { return x.Name == name || eventsOf(x.Name) == column })
	if i < 0 && len(l.signals) > record.MostRails {
		return nil
	}
	if i < 0 {
		i, l.signals = len(l.signals), append(l.signals, tegra.Signal{Name: name})
	}
	return (*count)(&l.signals[i].Count)
}

// columnsOf returns the columns of a new file for a board with these rails and signals.
func columnsOf(rails, signals []string) []string {
	list := csvlines.Names[line]()
	for _, name := range signals {
		list = append(list, eventsOf(name))
	}
	return append(list, record.RailColumns(rails)...)
}

const (
	mostCourse  = 128 << 20 // bytes
	mostSamples = 1 << 20
	mostFaults  = 64 // of one sample
)

// errNoSamples reports that a soak ended before its load started.
var errNoSamples = errors.New("no sample was kept")

// readCourse reads the samples of a folder. It skips a line torn by a crash.
func readCourse(dir string, p plan) (list []Seen, err error) {
	path := filepath.Join(dir, SamplesName)
	data, err := safefile.ReadIfThere(path, mostCourse)
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	return parseCourse(data, p)
}

func parseCourse(data []byte, p plan) (list []Seen, err error) {
	var of csvlines.Codec[line]
	watched := false
	_, err = csvlines.Each(bytes.NewReader(data), func(n int, fields []string, bad error) error {
		switch {
		case bad != nil || n > mostSamples:
			return bad
		case n == 1:
			of, watched = csvlines.NewCodec[line](slices.Clone(fields)), slices.Contains(fields, "faults")
			return nil
		}
		l, empty, err := of.Read(fields)
		if err != nil || slices.Contains(empty, "t_s") || l.AtS > 1000*longest.Seconds() {
			return errors.Join(err, csvlines.Unreadable("t_s"))
		}
		s := l.seen()
		s.watched = watched
		s.constants(p)
		list = append(list, s)
		return nil
	})
	if err == nil && of.Columns == nil {
		err = errNoSamples
	}
	return list, err
}

// constants fills in the values that do not change during a soak.
func (s *Seen) constants(p plan) {
	if p.TripC > 0 {
		for i := range s.Reading.Temps {
			s.Reading.Temps[i].Trip = tegra.Some(tegra.Trip{C: p.TripC})
		}
	}
	for i := range s.Reading.Rails {
		rail := &s.Reading.Rails[i]
		rail.Limits = tegra.CurrentLimits{Max: given(p.MaxA[rail.Name]), Crit: given(p.CritA[rail.Name])}
		if rail.Volts.OK && rail.Amperes.OK {
			rail.PowerW = tegra.Some(rail.Volts.V * rail.Amperes.V)
		}
	}
}
