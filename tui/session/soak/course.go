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

// column converts a column of soak.csv to text ("" if absent) and back.
type column struct {
	name string
	text func(Seen) string
	take func(*Seen, string) error
}

func decimal(v tegra.Val[float64]) string {
	if !v.OK {
		return ""
	}
	return strconv.FormatFloat(v.V, 'f', -1, 64)
}

func toNumber(to *tegra.Val[float64]) func(string) error {
	return func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		*to = tegra.Finite(v)
		return err
	}
}

func whole(v tegra.Val[int64]) string {
	if !v.OK {
		return ""
	}
	return strconv.FormatInt(v.V, 10)
}

// numbers returns a column of floating-point numbers.
func numbers(name string, of func(*Seen) *tegra.Val[float64]) column {
	return column{name, func(s Seen) string { return decimal(*of(&s)) },
		func(s *Seen, text string) error { return toNumber(of(s))(text) }}
}

// wholes returns a column of integers.
func wholes(name string, of func(*Seen) *tegra.Val[int64]) column {
	return column{name, func(s Seen) string { return whole(*of(&s)) },
		func(s *Seen, text string) error {
			v, err := strconv.ParseInt(text, 10, 64)
			*of(s) = tegra.Some(v)
			return err
		}}
}

// clocks returns a column of frequencies in the unit hertz or kilohertz.
func clocks(name string, unit tegra.Freq, of func(*Seen) *tegra.Val[tegra.Freq]) column {
	return column{name,
		func(s Seen) string {
			v := *of(&s)
			return whole(tegra.Val[int64]{V: int64(v.V / unit), OK: v.OK})
		},
		func(s *Seen, text string) error {
			v, err := strconv.ParseInt(text, 10, 64)
			*of(s) = tegra.Some(tegra.Freq(v) * unit)
			return err
		}}
}

// truths returns a column of booleans.
func truths(name string, of func(*Seen) *tegra.Val[bool]) column {
	return column{name,
		func(s Seen) string {
			if v := *of(&s); v.OK {
				return strconv.FormatBool(v.V)
			}
			return ""
		},
		func(s *Seen, text string) error {
			v, err := strconv.ParseBool(text)
			*of(s) = tegra.Some(v)
			return err
		}}
}

// faultsText formats what was wrong in a sample: "kind|source|was|is" with semicolons between them.
func faultsText(list []sources.Fault) string {
	clean := strings.NewReplacer("|", "/", ";", ",")
	var parts []string
	for _, f := range list[:min(len(list), mostFaults)] {
		parts = append(parts, strings.Join([]string{string(f.Kind), clean.Replace(f.Source), clean.Replace(f.Was),
			clean.Replace(f.Is)}, "|"))
	}
	return strings.Join(parts, ";")
}

// faultsOf parses the text of faultsText and leaves out what is not of that form.
func faultsOf(list string) (out []sources.Fault) {
	for part := range strings.SplitSeq(text.OneLine(list), ";") {
		if f := strings.Split(part, "|"); len(f) == 4 && len(out) < mostFaults {
			out = append(out, sources.Fault{Kind: sources.FaultKind(f[0]), Source: f[1], Was: f[2], Is: f[3]})
		}
	}
	return out
}

// Columns of signals: eventsColumn and the name, with _ for spaces. Folders of earlier versions have the sum of all
// counters instead, in sumColumn, which is shown under that name.
const (
	eventsColumn = "events_"
	sumColumn    = "over_currents"
	eventsSum    = "events of all counters together"
)

// eventsTogether is the column of that sum. A new sample has the counters themselves, which are summed.
func eventsTogether() column {
	c := wholes(sumColumn, func(s *Seen) *tegra.Val[int64] { return s.signal(eventsSum) })
	c.text = func(s Seen) string {
		var sum tegra.Val[int64]
		for _, one := range s.Reading.Signals {
			if one.Count.OK {
				sum = tegra.Some(sum.V + one.Count.V)
			}
		}
		return whole(sum)
	}
	return c
}

// signal returns the count of a signal, creating it if needed.
func (s *Seen) signal(name string) *tegra.Val[int64] {
	list := &s.Reading.Signals
	i := slices.IndexFunc(*list, func(x tegra.Signal) bool { return x.Name == name })
	if i < 0 {
		i, *list = len(*list), append(*list, tegra.Signal{Name: name})
	}
	return &(*list)[i].Count
}

// alarmsText formats the alarms that are on: the rail of a critical limit, another limit's with its signal.
func alarmsText(s Seen) string {
	var on []string
	for _, a := range s.Reading.Alarming() {
		if a.Signal == tegra.InstantCurrent {
			on = append(on, a.Rail)
		} else {
			on = append(on, a.Rail+" ("+a.Signal+")")
		}
	}
	return strings.Join(on, ";")
}

func takeAlarms(s *Seen, list string) error {
	for rail := range strings.SplitSeq(text.OneLine(list), ";") {
		a := tegra.Alarm{Rail: rail, Signal: tegra.InstantCurrent, On: true}
		if name, signal, other := strings.Cut(strings.TrimSuffix(rail, ")"), " ("); other {
			a.Rail, a.Signal = name, signal
		}
		s.Reading.Alarms = append(s.Reading.Alarms, a)
	}
	return nil
}

// slowText formats the clocks that do not follow: "GPU=600000000/900000000".
func slowText(s Seen) string {
	var out []string
	for _, c := range s.Reading.Slow {
		out = append(out, fmt.Sprintf("%s=%d/%d", c.Name, c.Actual, c.Asked))
	}
	return strings.Join(out, ";")
}

func takeSlow(s *Seen, list string) error {
	for part := range strings.SplitSeq(text.OneLine(list), ";") {
		name, clocks, _ := strings.Cut(part, "=")
		actual, asked, _ := strings.Cut(clocks, "/")
		a, err := strconv.ParseInt(actual, 10, 64)
		b, err2 := strconv.ParseInt(asked, 10, 64)
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		s.Reading.Slow = append(s.Reading.Slow, tegra.SlowClock{Name: name, Core: strings.HasPrefix(name, "CPU"),
			Actual: tegra.Freq(a), Asked: tegra.Freq(b)})
	}
	return nil
}

// columns returns the columns of soak.csv for a board with these rails and signals, without the final column that marks
// a simulation. rails are in the order of a sample.
func columns(rails, signals []string) []column {
	type freq = tegra.Val[tegra.Freq]
	list := []column{
		{"t_s", func(s Seen) string { return strconv.FormatFloat(s.AtS, 'f', 1, 64) },
			func(s *Seen, text string) (err error) { s.AtS, err = strconv.ParseFloat(text, 64); return err }},
		{"unix_s", func(s Seen) string { return strconv.FormatFloat(float64(s.Wall.UnixMilli())/1000, 'f', 1, 64) },
			func(s *Seen, text string) error {
				v, err := strconv.ParseFloat(text, 64)
				s.Wall = time.UnixMilli(int64(v * 1000))
				return err
			}},
		numbers("power_w", func(s *Seen) *tegra.Val[float64] { return &s.Reading.TotalW }),
		{"tj_c", func(s Seen) string { return decimal(s.TjC()) }, func(s *Seen, text string) error {
			var v tegra.Val[float64]
			err := toNumber(&v)(text)
			if v.OK {
				s.Reading.Temps = []tegra.TempReading{{Name: "hottest", C: v.V}}
			}
			return err
		}},
		clocks("cpu_khz", tegra.KHz, func(s *Seen) *freq { return &s.Reading.CPU.Actual }),
		clocks("cpu_asked_khz", tegra.KHz, func(s *Seen) *freq { return &s.Reading.CPU.Max }),
		clocks("gpu_hz", tegra.Hz, func(s *Seen) *freq { return &s.Reading.GPU.Actual }),
		clocks("gpu_asked_hz", tegra.Hz, func(s *Seen) *freq { return &s.Reading.GPU.Max }),
		clocks("emc_hz", tegra.Hz, func(s *Seen) *freq { return &s.Reading.EMC.Actual }),
		clocks("emc_asked_hz", tegra.Hz, func(s *Seen) *freq { return &s.Reading.EMC.Max }),
		truths("locked", func(s *Seen) *tegra.Val[bool] { return &s.Reading.Locked }),
		numbers("fan_pct", func(s *Seen) *tegra.Val[float64] { return &s.Reading.FanPct }),
		wholes("fan_rpm", func(s *Seen) *tegra.Val[int64] { return &s.Reading.FanRPM }),
		truths("throttled", func(s *Seen) *tegra.Val[bool] { return &s.Reading.Throttled }),
		truths("heat", func(s *Seen) *tegra.Val[bool] { return &s.Reading.Heat }),
		{"slow", slowText, takeSlow},
		{"alarms", alarmsText, takeAlarms},
		wholes("ram_bytes", func(s *Seen) *tegra.Val[int64] { return &s.Reading.RAMUsed }),
		wholes("part", func(s *Seen) *tegra.Val[int64] { return &s.Part }),
		{"faults", func(s Seen) string { return faultsText(s.Faults) }, func(s *Seen, list string) error {
			s.Faults = faultsOf(list)
			return nil
		}},
		numbers("step_ms", func(s *Seen) *tegra.Val[float64] { return &s.StepMS }),
	}
	for _, name := range signals {
		list = append(list, wholes(eventsColumn+strings.ReplaceAll(name, " ", "_"),
			func(s *Seen) *tegra.Val[int64] { return s.signal(name) }))
	}
	for i, name := range rails {
		list = append(list,
			numbers(name+"_v", func(s *Seen) *tegra.Val[float64] { return &s.rail(i, name).Volts }),
			numbers(name+"_a", func(s *Seen) *tegra.Val[float64] { return &s.rail(i, name).Amperes }))
	}
	return list
}

// rail returns the i-th rail of a soak's columns, creating it if needed.
func (s *Seen) rail(i int, name string) *tegra.RailReading {
	for len(s.Reading.Rails) <= i {
		s.Reading.Rails = append(s.Reading.Rails, tegra.RailReading{})
	}
	s.Reading.Rails[i].Name = name
	return &s.Reading.Rails[i]
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
	head = slices.Clone(head)
	rails, watched := railsOf(head), slices.Contains(head, "faults")
	known := map[string]column{sumColumn: eventsTogether()}
	for _, c := range columns(rails, signalsOf(head)) {
		known[c.name] = c
	}
	for len(list) < mostSamples {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if s, ok := seen(head, fields, known); ok && err == nil {
			s.watched = watched
			s.constants(p)
			list = append(list, s)
		}
	}
	return list, nil
}

// railsOf returns the rails whose voltages are in a header.
func railsOf(head []string) (rails []string) {
	for _, name := range head {
		if rail, ok := strings.CutSuffix(name, "_v"); ok && len(rails) < mostRails {
			rails = append(rails, text.OneLine(rail))
		}
	}
	return rails
}

// signalsOf returns the signals that are counted in a header.
func signalsOf(head []string) (names []string) {
	for _, name := range head {
		if signal, ok := strings.CutPrefix(name, eventsColumn); ok && len(names) < mostRails {
			names = append(names, strings.ReplaceAll(text.OneLine(signal), "_", " "))
		}
	}
	return names
}

// seen parses a line of soak.csv; ok is false if the line is torn.
func seen(head, fields []string, known map[string]column) (s Seen, ok bool) {
	if len(fields) != len(head) || len(fields) == 0 || head[0] != "t_s" || fields[len(fields)-1] == "" {
		return s, false
	}
	for i, name := range head {
		c, there := known[name]
		if !there || fields[i] == "" {
			continue
		}
		if c.take(&s, fields[i]) != nil {
			return s, false
		}
	}
	return s, s.AtS >= 0 && s.AtS <= 1000*longest.Seconds()
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
