package soak

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
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

// line is a line of soak.csv without the columns of rails and signals.
type line struct {
	AtS       float64               `csv:"t_s,.1"`
	UnixS     float64               `csv:"unix_s,.1"`
	PowerW    signed                `csv:"power_w"`
	TjC       signed                `csv:"tj_c"`
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
}

func (s *Seen) line() line {
	r := &s.Reading
	return line{s.AtS, float64(s.Wall.UnixMilli()) / 1000, signed(r.TotalW), signed(s.TjC()), r.CPU.Actual, r.CPU.Max,
		r.GPU.Actual, r.GPU.Max, r.EMC.Actual, r.EMC.Max, r.Locked, r.FanPct, r.FanRPM, r.Throttled, r.Heat, r.Slow,
		r.Alarming(), r.RAMUsed, s.Part, s.Faults, s.StepMS}
}

func (l *line) seen() Seen {
	s := Seen{AtS: l.AtS, Wall: time.UnixMilli(int64(l.UnixS * 1000)), StepMS: l.StepMS, Part: l.Part, Faults: l.Faults}
	r := &s.Reading
	r.TotalW, r.RAMUsed, r.FanPct, r.FanRPM = tegra.Val[float64](l.PowerW), l.RAM, l.FanPct, l.FanRPM
	r.CPU.Actual, r.CPU.Max, r.GPU.Actual, r.GPU.Max = l.CPU, l.CPUAsked, l.GPU, l.GPUAsked
	r.EMC.Actual, r.EMC.Max, r.Slow, r.Alarms = l.EMC, l.EMCAsked, l.Slow, l.Alarms
	r.Locked, r.Throttled, r.Heat = l.Locked, l.Throttled, l.Heat
	if l.TjC.OK {
		r.Temps = []tegra.TempReading{{Name: "hottest", C: l.TjC.V}}
	}
	return s
}

// signed is a value that may be negative, as a temperature, a current or its power; absent if it is not finite.
type signed tegra.Val[float64]

func (v *signed) CSV() string {
	if !v.OK {
		return ""
	}
	return strconv.FormatFloat(v.V, 'f', -1, 64)
}

func (v *signed) SetCSV(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	*v = signed(tegra.Finite(x))
	return err == nil
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

	voltsEnding   = "_v"
	amperesEnding = "_a"
)

func eventsOf(signal string) string { return eventsColumn + strings.ReplaceAll(signal, " ", "_") }

// course prints and reads the lines of soak.csv.
type course struct {
	csvlines.Codec[line]
	rails []string // whose voltages have a column
}

func courseOf(columns []string) course {
	c := course{Codec: csvlines.NewCodec[line](columns)}
	for _, name := range columns {
		if rail, ok := strings.CutSuffix(name, voltsEnding); ok && len(c.rails) < mostRails {
			c.rails = append(c.rails, text.OneLine(rail))
		}
	}
	return c
}

// columnsOf returns the columns of a new file for a board with these rails, in the order of a sample, and signals. The
// last of the file marks a simulation.
func columnsOf(rails, signals []string) []string {
	list := csvlines.Names[line]()
	for _, name := range signals {
		list = append(list, eventsOf(name))
	}
	for _, name := range rails {
		list = append(list, name+voltsEnding, name+amperesEnding)
	}
	return list
}

func (c *course) print(s Seen) []string {
	fixed := s.line()
	fields := c.Print(&fixed)
	for i, name := range c.Columns {
		if v := s.ofRail(name, c.rails); v != nil {
			fields[i] = (*signed)(v).CSV()
		} else if name == sumColumn {
			var sum tegra.Val[int64]
			for _, one := range s.Reading.Signals {
				if one.Count.OK {
					sum = tegra.Some(sum.V + one.Count.V)
				}
			}
			fields[i] = whole(sum)
		} else if v := s.ofSignal(name); v != nil {
			fields[i] = whole(*v)
		}
	}
	return fields
}

func whole(v tegra.Val[int64]) string {
	if !v.OK {
		return ""
	}
	return strconv.FormatInt(v.V, 10)
}

// read reads a line; false if it is torn.
func (c *course) read(fields []string) (s Seen, ok bool) {
	if len(fields) == 0 || c.Columns[0] != "t_s" || fields[len(fields)-1] == "" {
		return s, false
	}
	fixed, _, err := c.Read(fields)
	if err != nil {
		return s, false
	}
	s = fixed.seen()
	for i, name := range c.Columns {
		if fields[i] == "" {
			continue
		}
		if v := s.ofRail(name, c.rails); v != nil {
			ok = (*signed)(v).SetCSV(fields[i])
		} else if v := s.ofSignal(name); v != nil {
			v.V, err = strconv.ParseInt(fields[i], 10, 64)
			v.OK, ok = true, err == nil
		} else {
			ok = true
		}
		if !ok {
			return s, false
		}
	}
	return s, s.AtS >= 0 && s.AtS <= 1000*longest.Seconds()
}

// ofRail returns the voltage or current in a column, creating its rail if needed; nil for another column.
func (s *Seen) ofRail(column string, rails []string) *tegra.Val[float64] {
	for i, name := range rails {
		if column != name+voltsEnding && column != name+amperesEnding {
			continue
		}
		for len(s.Reading.Rails) <= i {
			s.Reading.Rails = append(s.Reading.Rails, tegra.RailReading{})
		}
		r := &s.Reading.Rails[i]
		if r.Name = name; column == name+voltsEnding {
			return &r.Volts
		}
		return &r.Amperes
	}
	return nil
}

// ofSignal returns the count in a column, creating its signal if needed; nil for another column.
func (s *Seen) ofSignal(column string) *tegra.Val[int64] {
	name, ok := strings.CutPrefix(column, eventsColumn)
	if name = strings.ReplaceAll(text.OneLine(name), "_", " "); column == sumColumn {
		name, ok = eventsSum, true
	}
	if !ok {
		return nil
	}
	list := &s.Reading.Signals
	i := slices.IndexFunc(*list, func(x tegra.Signal) bool { return x.Name == name || eventsOf(x.Name) == column })
	if i < 0 && len(*list) == mostRails {
		return nil
	}
	if i < 0 {
		i, *list = len(*list), append(*list, tegra.Signal{Name: name})
	}
	return &(*list)[i].Count
}

const (
	mostCourse  = 128 << 20 // bytes
	mostSamples = 1 << 20
	mostRails   = 64
	mostFaults  = 64 // of one sample
)

// errNoSamples reports that a soak ended before its load started.
var errNoSamples = errors.New("no sample was kept")

// readCourse reads the samples of a folder. It skips a line torn by a crash.
func readCourse(dir string, p plan) (list []Seen, err error) {
	path := filepath.Join(dir, SamplesName)
	data, err := safefile.Read(path, mostCourse)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSamples
	}
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	return parseCourse(data, p)
}

func parseCourse(data []byte, p plan) (list []Seen, err error) {
	lines := csv.NewReader(bytes.NewReader(data))
	lines.FieldsPerRecord, lines.ReuseRecord = -1, true
	head, err := lines.Read()
	if err != nil {
		return nil, errNoSamples
	}
	of, watched := courseOf(slices.Clone(head)), slices.Contains(head, "faults")
	for len(list) < mostSamples {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if s, ok := of.read(fields); ok && err == nil {
			s.watched = watched
			s.constants(p)
			list = append(list, s)
		}
	}
	return list, nil
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
