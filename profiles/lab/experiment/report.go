package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/telemetry"
)

// Report is the result of an experiment: a line for each setting, or for each part of one, and the conclusions.
type Report struct {
	Experiment Experiment
	Workload   workload.Workload
	Board      string // with the origin of its numbers when it is virtual
	Virtual    bool   // Board is virtual
	Repeat     int
	Lines      []Line
	Missing    []Missing // settings without a line
	Skipped    []Skip
	Failed     text.Lines // settings without a usable run, and why
	Notes      text.Lines // remarks on runs that count
	Takeaway   []string

	same  map[string]string // see Plan
	meter []Metered
}

// lineKey identifies a setting, or a part of its runs.
type lineKey struct {
	Setting string
	Part    string // "" for the whole run, else Epoch0, Later or "epoch N"
}

// Line holds a setting's numbers over its repeats.
type Line struct {
	lineKey
	Mode  tegra.Mode
	Runs  int
	Stats map[string]Stat // by the keys of Columns; absent ones are unknown

	noise  noise
	clocks clocks
}

// Missing is a setting without numbers.
type Missing struct {
	Setting string     `json:"setting"`
	Mode    tegra.Mode `json:"mode"`
	State   string     `json:"state"` // didNotRun or leftOver

	before int // index of the line before which a table shows it
}

// Reasons why a setting has no numbers.
const (
	didNotRun = "DNR"     // its runs failed: Report.Failed says why
	leftOver  = "not run" // the experiment ended before it
)

// clocks are the residencies of the last run.
type clocks struct{ cpu, gpu, emc telemetry.Residency }

// Parts of a run that have a line of their own.
const (
	epoch0 = "epoch 0"
	later  = "later epochs"
)

// Stat is a number over repeated runs.
type Stat struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// Column is one number of a line.
type Column struct {
	Key   string // with its unit; the column's name in the CSV file
	Title string // in the text table
	per   float64
	value tegra.Val[float64]
}

// meterKey is the column of a power meter in the supply. A table has it only if one was read.
const meterKey = "meter_w"

// Columns lists what is reported, in order.
func Columns() []Column { return columnsOf(record.Character{}, record.Part{}) }

// columnsOf returns the columns with the values of a part of a run.
func columnsOf(c record.Character, p record.Part) []Column {
	when := func(known bool, v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: known} }
	clock := func(r telemetry.Residency) tegra.Val[float64] { return when(r.OK(), float64(r.Mean().V)) }
	return []Column{
		{"time_ms", "ms", 1, when(p.TimeMS > 0, p.TimeMS)},
		{"stall_ms", "stall", 1, p.StallMS},
		{"compute_ms", "compute", 1, p.ComputeMS},
		{"overhead_ms", "other", 1, p.OverheadMS},
		{"epoch_s", "epoch s", 1, c.EpochS(p)},
		{"power_w", "W", 1, p.PowerW},
		{"energy_j", "J", 1, p.EnergyJ},
		{"epoch_j", "epoch kJ", 1e3, when(p.EnergyJ.OK && c.PerEpoch > 0, p.EnergyJ.V*float64(c.PerEpoch))},
		{"base_w", "base W", 1, c.BaseW},
		{
			"base_share_pct",
			"base %",
			1,
			when(c.BaseW.OK && p.PowerW.OK && p.PowerW.V > 0, 100*min(1, c.BaseW.V/p.PowerW.V)),
		},
		{"cpu_pct", "CPU %", 1, p.CPUPct},
		{"gpu_pct", "GPU %", 1, p.GPUPct},
		{"ram_bytes", "RAM GB", 1e9, p.RAMBytes},
		{"cpu_hz", "CPU GHz", 1e9, clock(c.CPU)},
		{"gpu_hz", "GPU GHz", 1e9, clock(c.GPU)},
		{"mem_hz", "mem GHz", 1e9, clock(c.EMC)},
		{"reads_per_s", "reads/s", 1, p.ReadsPerS},
		{"read_bytes_per_s", "MB/s", 1e6, p.ReadBytesPerS},
		{"cache_pct", "cache %", 1, when(c.CacheAfter.OK, 100*c.CacheAfter.V)},
		{meterKey, "meter W", 1, p.MeterW},
	}
}

// defaultColumns are the default columns of the text report.
var defaultColumns = strings.Fields("time_ms stall_ms compute_ms overhead_ms power_w energy_j cpu_pct gpu_pct")

// Report builds the report. When a setting has several runs with the same repeat, the newest counts; rows also holds
// failed settings.
func (e *Experiment) Report(p Plan, repeat int, rows []record.Row, runs []record.Run) *Report {
	out := &Report{Experiment: *e, Repeat: max(1, repeat), Skipped: p.Skipped, same: p.same,
		meter: p.meter}
	for _, s := range p.Settings {
		var usable []record.Row
		absent := Missing{Setting: s.Name, Mode: s.Mode, State: leftOver, before: len(out.Lines)}
		for k := 1; k <= out.Repeat; k++ {
			row, ok := record.RunOf(rows, runs, s.Name, k)
			if !ok {
				continue
			}
			name := s.Name
			if out.Repeat > 1 {
				name += fmt.Sprintf(", run %d", k)
			}
			if row.Why != "" && row.Status.Usable() {
				out.Notes.Add("%s: %s", name, strings.TrimPrefix(row.Why, "note: "))
			}
			if !row.Status.Usable() {
				absent.State = didNotRun
				out.Failed.Add("%s: %s: %s", name, row.Status, row.Why)
				continue
			}
			if row.Character != nil {
				usable = append(usable, row)
			}
		}
		if out.Lines = append(out.Lines, e.lines(s, usable)...); len(out.Lines) == absent.before {
			out.Missing = append(out.Missing, absent)
		}
	}
	why, nothing := out.tooShort()
	if why != "" {
		out.Takeaway = []string{why}
	}
	if len(out.Lines) > 0 && !nothing {
		out.Takeaway = append(out.Takeaway, e.takeaway(out)...)
	}
	return out
}

// lines returns the lines of one setting: of its epochs, of epoch 0 and the later ones when they can differ, or of the
// run as a whole.
func (e *Experiment) lines(s Setting, runs []record.Row) (out []Line) {
	if len(runs) == 0 {
		return nil
	}
	line := func(name string, of func(record.Character) tegra.Val[record.Part]) {
		l := Line{lineKey: lineKey{s.Name, name}, Mode: s.Mode, Stats: map[string]Stat{}}
		values := map[string][]float64{}
		var times, powers []float64 // the noise of each run
		for _, one := range runs {
			c := *one.Character
			p := of(c)
			if !p.OK || p.V.Minibatches == 0 {
				continue
			}
			l.Runs++
			l.clocks = clocks{c.CPU, c.GPU, c.EMC}
			own := noiseOf(one, c, p.V)
			times, powers = append(times, own.time), append(powers, own.power)
			values[gotWorkers] = append(values[gotWorkers], float64(c.Workers))
			values[gotBatch] = append(values[gotBatch], float64(c.Batch))
			if span := c.All.Span.Seconds(); span > 0 {
				values[readings] = append(values[readings], float64(one.PowerSamples)/span)
			}
			for _, col := range columnsOf(c, p.V) {
				if v := col.value; v.OK && tegra.Finite(v.V).OK {
					values[col.Key] = append(values[col.Key], v.V)
				}
			}
		}
		for key, v := range values {
			l.Stats[key] = Stat{stats.Median(v), slices.Min(v), slices.Max(v)}
		}
		if l.Runs > 0 {
			l.noise = noise{over(times, l.Stats["time_ms"]), over(powers, l.Stats["power_w"])}
			out = append(out, l)
		}
	}
	switch {
	case e.perEpoch:
		for k, one := range runs[0].Character.Epochs {
			line(fmt.Sprintf("epoch %d", one.Epoch), func(c record.Character) (p tegra.Val[record.Part]) {
				if k < len(c.Epochs) {
					p = tegra.Some(c.Epochs[k])
				}
				return p
			})
		}
	case s.Settings.Epochs > 1:
		line(epoch0, func(c record.Character) tegra.Val[record.Part] { return c.First })
		line(later, func(c record.Character) tegra.Val[record.Part] { return c.Later })
	default:
		line("", func(c record.Character) tegra.Val[record.Part] { return tegra.Some(c.All) })
	}
	return out
}

// stat returns a number of a part; absent when unknown.
func (r *Report) stat(at lineKey, key string) tegra.Val[float64] {
	l, _ := r.line(at)
	s, ok := l.Stats[key]
	return tegra.Val[float64]{V: s.Median, OK: ok}
}

// Parts are the report for people.
func (r *Report) Parts() []document.Part {
	parts := []document.Part{document.Text(r.Experiment.Name + ": " + r.Experiment.Title), document.Text(r.heading()),
		document.Break{}, r.table()}
	for _, f := range r.Failed {
		parts = append(parts, document.Text("failed: "+f))
	}
	for _, n := range r.Notes {
		parts = append(parts, document.Text("note: "+n))
	}
	for _, s := range r.Skipped {
		parts = append(parts, document.Text("skipped: "+s.What+": "+s.Why))
	}
	if len(r.Takeaway) > 0 {
		parts = append(parts, document.Break{}, document.Heading("What follows"))
	}
	for _, t := range r.Takeaway {
		parts = append(parts, document.Item(t))
	}
	return parts
}

func (r *Report) heading() string {
	parts := []string{r.Board}
	if r.Experiment.Workload != "" {
		parts = append(
			[]string{fmt.Sprintf("%s, batch %d, workers %d", r.Workload.Name, r.Workload.Batch, r.Workload.Workers)},
			parts...)
	}
	if r.Repeat > 1 {
		of := map[string]string{"time_ms": "time", "power_w": "power"}[r.Experiment.spreadKey()]
		parts = append(
			parts,
			fmt.Sprintf("each run %d times: medians, spread = (most - least) / median of the %s", r.Repeat, of),
		)
	}
	return strings.Join(parts, "; ")
}

func (r *Report) table() document.Part {
	if len(r.Lines) == 0 && !slices.ContainsFunc(r.Missing, func(m Missing) bool { return m.State == didNotRun }) {
		return document.Line("nothing was run")
	}
	wanted := r.Experiment.columns
	if wanted == nil {
		wanted = defaultColumns
	}
	if slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Stats[meterKey] != Stat{} }) {
		wanted = append(slices.Clip(wanted), meterKey)
	}
	cols := slices.DeleteFunc(Columns(), func(c Column) bool { return !slices.Contains(wanted, c.Key) })
	head := []string{"setting"}
	for _, c := range cols {
		head = append(head, c.Title)
	}
	if r.Repeat > 1 {
		head = append(head, "spread")
	}
	t := document.Table{Head: head, Numbers: 1}
	before, absent := "", r.Missing
	missing := func(most int) {
		for len(absent) > 0 && absent[0].before <= most {
			row := []string{absent[0].Setting, absent[0].State}
			t.Rows = append(t.Rows, append(row, slices.Repeat([]string{"–"}, len(head)-2)...))
			absent = absent[1:]
		}
	}
	for i, l := range r.Lines {
		missing(i)
		name := l.Setting
		if l.Part != "" {
			if name += ", " + l.Part; before == l.Setting {
				name = "  " + l.Part
			}
		}
		before = l.Setting
		row := []string{name}
		for _, c := range cols {
			row = append(row, cell(l, c))
		}
		if r.Repeat > 1 {
			row = append(row, spread(l, r.Experiment.spreadKey()))
		}
		t.Rows = append(t.Rows, row)
	}
	missing(len(r.Lines))
	return t
}

func cell(l Line, c Column) string {
	if s, ok := l.Stats[c.Key]; ok {
		return short(s.Median / c.per)
	}
	return "–"
}

// short formats a number with about three digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a < 0.0005:
		return "0"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func spread(l Line, key string) string {
	s, ok := l.Stats[key]
	if !ok || l.Runs < 2 || s.Median == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*(s.Hi-s.Lo)/s.Median)
}

// columns are the columns of CSV, with median, least and most of each number, and of JSON.
func (r *Report) columns() report.Table[Line] {
	t := report.Table[Line]{
		{Key: "setting", Of: func(l Line) any { return l.Setting }},
		{Key: "part", Form: report.CSV, Of: func(l Line) any { return l.Part }},
		{Key: "part", Form: report.JSON, Of: func(l Line) any { return text.Optional(l.Part) }},
		{Key: "runs", Of: func(l Line) any { return l.Runs }},
		{Key: "mode", Form: report.JSON, Of: func(l Line) any { return l.Mode }},
	}
	for i, key := range sweep.Columns[:tegra.NumKnobs] {
		t = append(t, report.Column[Line]{Key: key, Form: report.CSV,
			Of: func(l Line) any { return sweep.ModeFields(l.Mode)[i] }})
	}
	for _, c := range Columns() {
		t = append(t, report.Column[Line]{Key: c.Key, Form: report.JSON, Of: func(l Line) any {
			s, ok := l.Stats[c.Key]
			return tegra.Val[Stat]{V: s, OK: ok}
		}})
		for suffix, of := range []func(Stat) float64{func(s Stat) float64 { return s.Median },
			func(s Stat) float64 { return s.Lo }, func(s Stat) float64 { return s.Hi }} {
			t = append(t, report.Column[Line]{Key: c.Key + []string{"", "_lo", "_hi"}[suffix], Form: report.CSV,
				Of: func(l Line) any {
					if s, ok := l.Stats[c.Key]; ok {
						return strconv.FormatFloat(of(s), 'g', 8, 64)
					}
					return ""
				}})
		}
	}
	return append(t, report.Column[Line]{Key: sweep.VirtualColumn, Form: report.CSV,
		Of: func(Line) any { return r.Virtual }})
}

// CSV writes every number. Settings without numbers follow, with their state in the part column.
func (r *Report) CSV(w io.Writer) error {
	lines := slices.Clone(r.Lines)
	for _, m := range r.Missing {
		lines = append(lines, Line{lineKey: lineKey{m.Setting, m.State}, Mode: m.Mode})
	}
	return r.columns().CSV(w, lines)
}
