package record

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/telemetry"
)

// ExperimentKind is the kind of plan whose steps differ in more than the mode.
const ExperimentKind = "experiment"

// variantColumns are the last columns in an experiment's modes.csv.
var variantColumns = []string{"setting", "repeat"}

// Variant names one run of an experiment.
type Variant struct {
	Setting string // what differs from the campaign's workload or settings, in words
	Repeat  int    // from 1
}

// Columns are the texts that identify the run in modes.csv and runs.csv.
func (v *Variant) Columns() []string { return []string{v.Setting, strconv.Itoa(v.Repeat)} }

// IsOf reports whether a row of an experiment belongs to that variant.
func (r *Row) IsOf(setting string, repeat int) bool {
	return slices.Equal(r.Extra, (&Variant{Setting: setting, Repeat: repeat}).Columns())
}

// Run is the content of a run in runs.csv: the character of one mode, or of one setting of an
// experiment.
type Run struct {
	Mode      tegra.Mode
	Setting   string // of an experiment; "" otherwise
	Repeat    int    // of an experiment, from 1; 0 otherwise
	Status    Status
	Why       string
	Character Character
}

// Parts of a run in runs.csv. "all" is a run's last line and ends it.
const (
	partAll   = "all"
	partFirst = "epoch 0"
	partLater = "later epochs"
	partEpoch = "epoch"
)

// runColumns are the columns of runs.csv: the run, its part, the numbers of the part, and in the line of part "all" the
// values of the run as a whole.
var runColumns = slices.Concat(sweep.Columns[:4], variantColumns, []string{"status", "why", "part"}, partColumns,
	[]string{"workers", "batch", "per_epoch", "base_w", "cache_before_share", "cache_after_share", "cache_why", "disk",
		"cpu_residency", "gpu_residency", "mem_residency", "uptime_s", "versions",
		"latency_p50_ms", "latency_p95_ms", "latency_p99_ms", "power_drop_s", "power_drop_from_w", "power_drop_to_w",
		"cpu_median_pct", "gpu_median_pct", "ram_median_bytes", "meter_w", "cache_ready_share"})

// olderRuns are how many of runColumns older versions of jtune wrote.
var olderRuns = []int{slices.Index(runColumns, "latency_p50_ms"), slices.Index(runColumns, "cpu_median_pct")}

// runWidth is how many of runColumns a file with that header has.
func runWidth(header []string) int {
	header = unmarked(header)
	for _, n := range olderRuns {
		if slices.Equal(header, runColumns[:n]) {
			return n
		}
	}
	return len(runColumns)
}

// runsColumns are the columns of this record's runs.csv: a folder that an older jtune began keeps its own.
func (r *Record) runsColumns() []string {
	r.runsWidth = runWidth(r.columnsOf(runsName))
	return runColumns[:r.runsWidth]
}

var partColumns = strings.Fields("epoch epochs minibatches span_s time_ms stall_ms compute_ms overhead_ms power_w " +
	"energy_j cpu_pct gpu_pct ram_bytes reads_per_s read_bytes_per_s")

// run returns the line of runs.csv for a finished row; ok is false for a mode that never ran.
func (r *Record) run(row Row) (run Run, ok bool) {
	if row.Character == nil {
		return run, false
	}
	run = Run{Mode: row.Mode, Status: row.Status, Why: row.Why, Character: *row.Character}
	if len(row.Extra) == len(variantColumns) && r.header.Plan.Kind == ExperimentKind {
		run.Setting = row.Extra[0]
		run.Repeat, _ = strconv.Atoi(row.Extra[1])
	}
	return run, true
}

// AppendRun adds a run of another record.
func (r *Record) AppendRun(run Run) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		return errClosed
	}
	err := r.writeRun(run)
	r.addEpochs(tegra.Setting{Mode: run.Mode}, run.Character)
	if err = errors.Join(err, r.epochs.Flush(false)); err != nil {
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	return nil
}

func (r *Record) writeRun(run Run) error {
	for _, line := range run.lines() {
		r.runs.Add(line[:r.runsWidth])
	}
	if err := r.runs.Flush(true); err != nil {
		r.runs.Drop()
		return err
	}
	return nil
}

// lines prints the run, part by part.
func (r Run) lines() [][]string {
	c := r.Character
	repeat := ""
	if r.Repeat > 0 {
		repeat = strconv.Itoa(r.Repeat)
	}
	head := slices.Concat(
		sweep.ModeFields(r.Mode),
		[]string{text.OneLine(r.Setting), repeat, string(r.Status), text.OneLine(r.Why)},
	)
	var out [][]string
	add := func(name string, p Part, whole ...string) {
		line := slices.Concat(head, []string{name}, p.fields(), whole)
		for len(line) < len(runColumns) {
			line = append(line, "")
		}
		out = append(out, line)
	}
	if len(c.Epochs) > 1 {
		for _, p := range c.Epochs {
			add(partEpoch, p)
		}
	}
	if c.First.OK {
		add(partFirst, c.First.V)
	}
	if c.Later.OK {
		add(partLater, c.Later.V)
	}
	uptime := tegra.Val[float64]{}
	if c.Uptime.OK {
		uptime = tegra.Some(c.Uptime.V.Seconds())
	}
	add(
		partAll,
		c.All,
		strconv.Itoa(c.Workers),
		strconv.Itoa(c.Batch),
		strconv.Itoa(c.PerEpoch),
		optional(c.BaseW),
		optional(c.CacheBefore),
		optional(c.CacheAfter),
		text.OneLine(
			c.CacheWhy,
		),
		text.OneLine(c.Disk),
		residencyText(c.CPU),
		residencyText(c.GPU),
		residencyText(c.EMC),
		optional(uptime),
		text.OneLine(strings.Join(c.Versions, "; ")),
	)
	last := out[len(out)-1]
	if l := c.Latency; l.OK {
		copy(last[olderRuns[0]:], []string{decimal(l.V.P50), decimal(l.V.P95), decimal(l.V.P99)})
	}
	if d := c.Drop; d.OK {
		copy(last[olderRuns[0]+3:], []string{decimal(d.V.At.Seconds()), decimal(d.V.FromW), decimal(d.V.ToW)})
	}
	for i, v := range c.latest() {
		last[olderRuns[1]+i] = optional(*v)
	}
	return out
}

// latest returns the values of a whole run in the last columns of runs.csv.
func (c *Character) latest() []*tegra.Val[float64] {
	return []*tegra.Val[float64]{&c.All.CPUMedianPct, &c.All.GPUMedianPct, &c.All.RAMMedianBytes, &c.All.MeterW,
		&c.CacheReady}
}

func (p Part) fields() []string {
	out := []string{
		strconv.Itoa(p.Epoch),
		strconv.Itoa(p.Epochs),
		strconv.Itoa(p.Minibatches),
		decimal(p.Span.Seconds()),
		decimal(p.TimeMS),
	}
	for _, v := range p.numbers() {
		out = append(out, optional(*v))
	}
	return out
}

// numbers returns the values that may be absent, in the order of partColumns.
func (p *Part) numbers() []*tegra.Val[float64] {
	return []*tegra.Val[float64]{&p.StallMS, &p.ComputeMS, &p.OverheadMS, &p.PowerW, &p.EnergyJ,
		&p.CPUPct, &p.GPUPct, &p.RAMBytes, &p.ReadsPerS, &p.ReadBytesPerS}
}

// residencyText prints "kernel 1300500000:0.98 624750000:0.02", in Hz.
func residencyText(r telemetry.Residency) string {
	if !r.OK() {
		return ""
	}
	out := r.Source
	for _, s := range r.Shares {
		out += fmt.Sprintf(" %d:%s", int64(s.Freq), decimal(s.Share))
	}
	return out
}

func parseResidency(text string) (r telemetry.Residency, ok bool) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return r, true
	}
	r.Source = f[0]
	for _, pair := range f[1:] {
		hz, share, _ := strings.Cut(pair, ":")
		v, err1 := strconv.ParseInt(hz, 10, 64)
		x, err2 := strconv.ParseFloat(share, 64)
		if err1 != nil || err2 != nil || v <= 0 || !(x >= 0 && x <= 1) {
			return r, false
		}
		r.Shares = append(r.Shares, telemetry.ClockShare{Freq: tegra.Freq(v), Share: x})
	}
	return r, true
}

// ReadRuns returns the runs of a campaign folder in order, with a note on each unreadable line. It leaves out a run
// without a row. A folder of an older jtune has no runs.
func ReadRuns(dir string) (runs []Run, notes []string, err error) {
	text, err := readIfThere(dir, runsName)
	if err != nil {
		return nil, nil, err
	}
	runs, notes = parseRuns(text)
	for i, n := range notes {
		notes[i] = filepath.Join(dir, n)
	}
	rows, _, err := readRows(dir)
	return withRows(runs, rows), notes, err
}

// withRows leaves out a last run that has no row: each run is written just before its row, and jtune was killed
// between the two.
func withRows(runs []Run, rows []Row) []Run {
	if len(runs) == 0 {
		return runs
	}
	last, more := runs[len(runs)-1], 0
	if last.Mode == (tegra.Mode{}) {
		return runs // of a state that no mode expresses: it has no row
	}
	for _, r := range runs {
		if r.Mode == last.Mode && r.Status == last.Status && r.Setting == last.Setting && r.Repeat == last.Repeat {
			more++
		}
	}
	for _, row := range rows {
		if row.Mode == last.Mode && row.Status == last.Status &&
			(last.Repeat == 0 || row.IsOf(last.Setting, last.Repeat)) {
			more--
		}
	}
	if more > 0 {
		runs = runs[:len(runs)-1]
	}
	return runs
}

// cutRun removes a last run without a row from runs.csv. Its mode is measured again.
func (r *Record) cutRun(rows []Row) error {
	text, err := readIfThere(r.dir, runsName)
	if err != nil {
		return err
	}
	runs, _ := parseRuns(text)
	kept := withRows(runs, rows)
	if len(kept) == len(runs) {
		return nil
	}
	for range runs[len(kept)].lines() {
		text = text[:bytes.LastIndexByte(text[:max(len(text)-1, 0)], '\n')+1]
	}
	if now, _ := parseRuns(text); len(now) != len(kept) {
		return nil // other lines follow, so only readers leave it out
	}
	return r.runs.Cut(int64(len(text)))
}

func parseRuns(text []byte) (runs []Run, notes []string) {
	var c Character // of the run whose lines are being read
	var key string  // that run
	width := len(runColumns)
	csvlines.Each(bytes.NewReader(text), func(n int, f []string, err error) error {
		if n == 1 { // the header, of an older jtune perhaps
			width = runWidth(f)
			return nil
		}
		var run Run
		var done bool
		if err == nil {
			if len(f) == width {
				f = append(f, make([]string, len(runColumns)-width)...)
			}
			if now := strings.Join(f[:min(len(f), runKeyColumns)], ","); now != key || begins(f, c) {
				c, key = Character{}, now // the run before was cut off
			}
			run, done, err = parseRunLine(f, &c)
		}
		if err != nil {
			notes = append(notes, unreadable(runsName, n, err))
			c = Character{}
			return err
		}
		if done {
			run.Character = c
			runs, c = append(runs, run), Character{}
		}
		return nil
	})
	return runs, notes
}

// runKeyColumns at the beginning of a line name its run: mode, setting, repeat.
const runKeyColumns = 6

// begins reports whether a line cannot continue the run in c: that run was interrupted and written again.
func begins(f []string, c Character) bool {
	if len(f) != len(runColumns) {
		return false
	}
	switch epoch, _ := strconv.Atoi(f[9]); f[8] {
	case partEpoch:
		n := len(c.Epochs)
		return n > 0 && epoch <= c.Epochs[n-1].Epoch || c.First.OK || c.Later.OK
	case partFirst:
		return c.First.OK || c.Later.OK
	case partLater:
		return c.Later.OK
	}
	return false
}

// parseRunLine parses one line into c; done: it was the run's last.
func parseRunLine(f []string, c *Character) (r Run, done bool, err error) {
	if len(f) != len(runColumns) {
		return r, false, fmt.Errorf("%d fields where %d belong", len(f), len(runColumns))
	}
	p := csvlines.Fields{Columns: runColumns, List: f}
	r.Mode = p.Mode()
	r.Setting = p.Text()
	if repeat := p.Text(); repeat != "" {
		p.At--
		r.Repeat = int(p.Whole())
	}
	r.Status, r.Why = Status(p.Text()), p.Text()
	if !slices.Contains(statuses, r.Status) {
		return r, false, fmt.Errorf("status is %q", text.Clip(string(r.Status)))
	}
	name := p.Text()
	part := partOf(&p)
	if name != partAll {
		switch name {
		case partEpoch:
			c.Epochs = append(c.Epochs, part)
		case partFirst:
			c.First = tegra.Some(part)
		case partLater:
			c.Later = tegra.Some(part)
		default:
			p.Fail("part")
		}
		return r, false, p.Err
	}
	c.All = part
	if len(c.Epochs) == 0 {
		c.Epochs = []Part{part}
	}
	c.Workers, c.Batch, c.PerEpoch = int(p.Whole()), int(p.Whole()), int(p.Whole())
	c.BaseW, c.CacheBefore, c.CacheAfter = p.Optional(), p.Optional(), p.Optional()
	c.CacheWhy, c.Disk = p.Text(), p.Text()
	for _, to := range []*telemetry.Residency{&c.CPU, &c.GPU, &c.EMC} {
		var ok bool
		if *to, ok = parseResidency(p.Text()); !ok {
			p.Fail("residency")
		}
	}
	if s := p.Optional(); s.OK {
		c.Uptime = tegra.Some(asSpan(s.V))
	}
	if v := p.Text(); v != "" {
		c.Versions = strings.Split(v, "; ")
	}
	if v := p.Optionals(3); v != nil {
		c.Latency = tegra.Some(Latency{P50: v[0], P95: v[1], P99: v[2], N: c.All.Minibatches})
	}
	if v := p.Optionals(3); v != nil {
		c.Drop = tegra.Some(telemetry.PowerDrop{At: asSpan(v[0]), FromW: v[1], ToW: v[2]})
	}
	for _, to := range c.latest() {
		*to = p.Optional()
	}
	return r, true, p.Err
}

// asSpan converts seconds to a duration, limited to the largest one.
func asSpan(s float64) time.Duration {
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

func partOf(p *csvlines.Fields) (out Part) {
	out.Epoch, out.Epochs, out.Minibatches = int(p.Whole()), int(p.Whole()), int(p.Whole())
	out.Span, out.TimeMS = asSpan(p.Number()), p.Number()
	for _, to := range out.numbers() {
		*to = p.Optional()
	}
	return out
}
