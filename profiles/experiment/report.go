package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/tegra/sweep"
)

// Report is what an experiment found: a line for each setting, or for each
// part of one, and what follows from the numbers.
type Report struct {
	Experiment Experiment
	Workload   profiles.Workload
	Board      string // with what stands behind its numbers when it is not real
	Repeat     int
	Lines      []Line
	Skipped    []Skip
	Failed     []string // settings without a usable run, and why
	Notes      []string // what is peculiar about runs that count
	Takeaway   []string

	same map[string]string // see Plan
}

// Line holds a setting's numbers over its repeats.
type Line struct {
	Setting string
	Part    string // "" for the whole run, else Epoch0, Later or "epoch N"
	Mode    tegra.Mode
	Runs    int
	Stats   map[string]Stat // by the keys of Columns; absent ones are not known

	noise noise
}

// Parts of a run that have a line of their own.
const (
	Epoch0 = "epoch 0"
	Later  = "later epochs"
)

// Stat is a number over repeated runs.
type Stat struct{ Median, Lo, Hi float64 }

// Column is one number of a line.
type Column struct {
	Key   string // with its unit; the CSV file's name of it
	Title string // in the text table
	per   float64
	of    func(c profiles.Character, p profiles.Part) tegra.Val[float64]
}

// Columns lists what is reported, in order.
func Columns() []Column {
	part := func(of func(profiles.Part) tegra.Val[float64]) func(profiles.Character, profiles.Part) tegra.Val[float64] {
		return func(_ profiles.Character, p profiles.Part) tegra.Val[float64] { return of(p) }
	}
	clock := func(f tegra.Val[tegra.Freq]) tegra.Val[float64] {
		return tegra.Val[float64]{V: float64(f.V), OK: f.OK}
	}
	return []Column{
		{"time_ms", "ms", 1, part(func(p profiles.Part) tegra.Val[float64] { return tegra.Val[float64]{V: p.TimeMS, OK: p.TimeMS > 0} })},
		{"stall_ms", "stall", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.StallMS })},
		{"compute_ms", "compute", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.ComputeMS })},
		{"overhead_ms", "other", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.OverheadMS })},
		{"epoch_s", "epoch s", 1, func(c profiles.Character, p profiles.Part) tegra.Val[float64] { return c.EpochS(p) }},
		{"power_w", "W", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.PowerW })},
		{"energy_j", "J", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.EnergyJ })},
		{"epoch_j", "epoch kJ", 1e3, func(c profiles.Character, p profiles.Part) tegra.Val[float64] {
			return tegra.Val[float64]{V: p.EnergyJ.V * float64(c.PerEpoch), OK: p.EnergyJ.OK && c.PerEpoch > 0}
		}},
		{"base_w", "base W", 1, func(c profiles.Character, _ profiles.Part) tegra.Val[float64] { return c.BaseW }},
		{"base_share_pct", "base %", 1, func(c profiles.Character, p profiles.Part) tegra.Val[float64] {
			return tegra.Val[float64]{V: 100 * min(1, c.BaseW.V/p.PowerW.V), OK: c.BaseW.OK && p.PowerW.OK && p.PowerW.V > 0}
		}},
		{"cpu_pct", "CPU %", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.CPUPct })},
		{"gpu_pct", "GPU %", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.GPUPct })},
		{"ram_bytes", "RAM GB", 1e9, part(func(p profiles.Part) tegra.Val[float64] { return p.RAMBytes })},
		{"cpu_hz", "CPU GHz", 1e9, func(c profiles.Character, _ profiles.Part) tegra.Val[float64] { return clock(c.CPU.Mean()) }},
		{"gpu_hz", "GPU GHz", 1e9, func(c profiles.Character, _ profiles.Part) tegra.Val[float64] { return clock(c.GPU.Mean()) }},
		{"mem_hz", "mem GHz", 1e9, func(c profiles.Character, _ profiles.Part) tegra.Val[float64] { return clock(c.EMC.Mean()) }},
		{"reads_per_s", "reads/s", 1, part(func(p profiles.Part) tegra.Val[float64] { return p.ReadsPerS })},
		{"read_bytes_per_s", "MB/s", 1e6, part(func(p profiles.Part) tegra.Val[float64] { return p.ReadBytesPerS })},
		{"cache_pct", "cache %", 1, func(c profiles.Character, _ profiles.Part) tegra.Val[float64] {
			return tegra.Val[float64]{V: 100 * c.CacheAfter.V, OK: c.CacheAfter.OK}
		}},
	}
}

// defaultColumns of the text report.
var defaultColumns = []string{"time_ms", "stall_ms", "compute_ms", "overhead_ms", "power_w", "energy_j", "cpu_pct", "gpu_pct"}

// Report makes the report of what was run. Of several runs of a setting with
// one repeat the newest counts; rows tell of settings that failed.
func (e Experiment) Report(p Plan, repeat int, rows []profiles.Row, runs []profiles.Run) Report {
	out := Report{Experiment: e, Repeat: max(1, repeat), Skipped: p.Skipped, same: p.same}
	for _, s := range p.Settings {
		var usable []usableRun
		for k := 1; k <= out.Repeat; k++ {
			row, ok := newest(rows, s.Name, k)
			if !ok {
				continue
			}
			name := s.Name
			if out.Repeat > 1 {
				name += fmt.Sprintf(", run %d", k)
			}
			if row.Why != "" && row.Status.Usable() {
				out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", name, strings.TrimPrefix(row.Why, "note: ")))
			}
			if !row.Status.Usable() {
				out.Failed = append(out.Failed, fmt.Sprintf("%s: %s: %s", name, row.Status, row.Why))
				continue
			}
			for n := len(runs) - 1; n >= 0; n-- {
				if runs[n].Setting == s.Name && runs[n].Repeat == k {
					usable = append(usable, usableRun{row, runs[n].Character})
					break
				}
			}
		}
		out.Lines = append(out.Lines, e.lines(s, usable)...)
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

// newest gives the last row of a run: one that failed may have been redone.
func newest(rows []profiles.Row, setting string, repeat int) (profiles.Row, bool) {
	for _, r := range slices.Backward(rows) {
		if r.IsOf(setting, repeat) {
			return r, true
		}
	}
	return profiles.Row{}, false
}

// usableRun is a run that counts.
type usableRun struct {
	row profiles.Row
	profiles.Character
}

// lines of one setting: of its epochs, of epoch 0 and the later ones when they
// can differ, or of the run as a whole.
func (e Experiment) lines(s Setting, runs []usableRun) (out []Line) {
	if len(runs) == 0 {
		return nil
	}
	line := func(part string, of func(profiles.Character) tegra.Val[profiles.Part]) {
		l := Line{Setting: s.Name, Part: part, Mode: s.Mode, Stats: map[string]Stat{}}
		values := map[string][]float64{}
		var times, powers []float64 // the noise of each run
		for _, one := range runs {
			c := one.Character
			p := of(c)
			if !p.OK || p.V.Minibatches == 0 {
				continue
			}
			l.Runs++
			own := noiseOf(one.row, c, p.V)
			times, powers = append(times, own.time), append(powers, own.power)
			for _, col := range Columns() {
				if v := col.of(c, p.V); v.OK && !math.IsNaN(v.V) && !math.IsInf(v.V, 0) {
					values[col.Key] = append(values[col.Key], v.V)
				}
			}
		}
		for key, v := range values {
			l.Stats[key] = Stat{quantile.Median(v).V, slices.Min(v), slices.Max(v)}
		}
		if l.Runs > 0 {
			l.noise = noise{over(times, l.Stats["time_ms"]), over(powers, l.Stats["power_w"])}
			out = append(out, l)
		}
	}
	switch {
	case e.perEpoch:
		for k := range runs[0].Epochs {
			line(fmt.Sprintf("epoch %d", runs[0].Epochs[k].Epoch), func(c profiles.Character) (p tegra.Val[profiles.Part]) {
				if k < len(c.Epochs) {
					p = tegra.Some(c.Epochs[k])
				}
				return p
			})
		}
	case s.Settings.Epochs > 1:
		line(Epoch0, func(c profiles.Character) tegra.Val[profiles.Part] { return c.First })
		line(Later, func(c profiles.Character) tegra.Val[profiles.Part] { return c.Later })
	default:
		line("", func(c profiles.Character) tegra.Val[profiles.Part] { return tegra.Some(c.All) })
	}
	return out
}

// stat gives a number of the first line of a setting and part; not OK when it
// is not known.
func (r Report) stat(setting, part, key string) tegra.Val[float64] {
	for _, l := range r.Lines {
		if s, ok := l.Stats[key]; ok && l.Setting == setting && l.Part == part {
			return tegra.Some(s.Median)
		}
	}
	return tegra.Val[float64]{}
}

// Text prints the report for a person, 80 columns wide where it can.
func (r Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Experiment.Name, r.Experiment.Title)
	fmt.Fprintf(&b, "%s\n\n", r.heading())
	r.table(&b)
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "failed: %s\n", f)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "skipped: %s: %s\n", s.What, s.Why)
	}
	if len(r.Takeaway) > 0 {
		b.WriteString("\nWhat follows\n")
	}
	for _, t := range r.Takeaway {
		fmt.Fprintf(&b, "- %s\n", t)
	}
	for line := range strings.Lines(b.String()) {
		if err := folded(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// folded prints a line of words in lines of 80 columns; a table's lines, which
// have runs of spaces, are left as they are.
func folded(w io.Writer, line string) error {
	const (
		width = 80
		glued = "\x00" // stands for a space at which no line ends
	)
	if strings.Contains(line, "  ") || len([]rune(line)) <= width {
		_, err := fmt.Fprintln(w, line)
		return err
	}
	indent := ""
	if strings.HasPrefix(line, "- ") {
		indent = "  "
	}
	row := ""
	for word := range strings.FieldsSeq(strings.ReplaceAll(line, " %", glued+"%")) {
		word = strings.ReplaceAll(word, glued, " ")
		if row != "" && len([]rune(row))+1+len([]rune(word)) > width {
			if _, err := fmt.Fprintln(w, row); err != nil {
				return err
			}
			row = indent + word
			continue
		}
		if row != "" {
			row += " "
		}
		row += word
	}
	_, err := fmt.Fprintln(w, row)
	return err
}

func (r Report) heading() string {
	parts := []string{r.Board}
	if r.Experiment.Workload != "" {
		parts = append([]string{fmt.Sprintf("%s, batch %d, workers %d", r.Workload.Name, r.Workload.Batch, r.Workload.Workers)}, parts...)
	}
	if r.Repeat > 1 {
		of := map[string]string{"time_ms": "time", "power_w": "power"}[r.Experiment.spreadKey()]
		parts = append(parts, fmt.Sprintf("each run %d times: medians, spread = (most - least) / median of the %s", r.Repeat, of))
	}
	return strings.Join(parts, "; ")
}

func (r Report) table(b *strings.Builder) {
	if len(r.Lines) == 0 {
		b.WriteString("nothing was run\n")
		return
	}
	wanted := r.Experiment.columns
	if wanted == nil {
		wanted = defaultColumns
	}
	var cols []Column
	for _, c := range Columns() {
		if slices.Contains(wanted, c.Key) {
			cols = append(cols, c)
		}
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	head := []string{"setting"}
	for _, c := range cols {
		head = append(head, c.Title)
	}
	if r.Repeat > 1 {
		head = append(head, "spread")
	}
	fmt.Fprintln(t, strings.Join(head, "\t"))
	before := ""
	for _, l := range r.Lines {
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
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}

func cell(l Line, c Column) string {
	s, ok := l.Stats[c.Key]
	if !ok {
		return "–"
	}
	return short(s.Median / c.per)
}

// short prints about three digits.
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

// CSV prints every number: median, least and most of each column.
func (r Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := slices.Concat([]string{"setting", "part", "runs"}, sweep.Columns[:4])
	for _, col := range Columns() {
		head = append(head, col.Key, col.Key+"_lo", col.Key+"_hi")
	}
	c.Write(head)
	for _, l := range r.Lines {
		row := slices.Concat([]string{l.Setting, l.Part, strconv.Itoa(l.Runs)}, sweep.Fields(tegra.Measured{Mode: l.Mode})[:4])
		for _, col := range Columns() {
			s, ok := l.Stats[col.Key]
			if !ok {
				row = append(row, "", "", "")
				continue
			}
			for _, v := range []float64{s.Median, s.Lo, s.Hi} {
				row = append(row, strconv.FormatFloat(v, 'g', 8, 64))
			}
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}
