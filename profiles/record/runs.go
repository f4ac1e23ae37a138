package record

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

// RunOf returns the newest row of a run of an experiment, which may have been repeated, with its character.
func RunOf(rows []Row, runs []Run, setting string, repeat int) (row Row, ok bool) {
	for i := len(rows) - 1; i >= 0 && !ok; i-- {
		row, ok = rows[i], rows[i].IsOf(setting, repeat)
	}
	for _, run := range slices.Backward(runs) {
		if ok && run.Setting == setting && run.Repeat == repeat {
			row.Character = &run.Character
			break
		}
	}
	return row, ok
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

var partColumns = strings.Fields("epoch epochs minibatches span_s time_ms stall_ms compute_ms overhead_ms power_w " +
	"energy_j cpu_pct gpu_pct ram_bytes reads_per_s read_bytes_per_s")

// runLine is a line of runs.csv: the run, one of its parts, and in the line of part "all" the run as a whole.
type runLine struct {
	tegra.Mode `csv:""`
	Setting    string         `csv:"setting"`
	Repeat     tegra.Val[int] `csv:"repeat"`
	Status     Status         `csv:"status"`
	Why        string         `csv:"why"`
	Name       string         `csv:"part"`
	Part       `csv:""`
	Whole      *Character `csv:""`
	CPUs       residency  `csv:"cpu_residency"`
	GPUs       residency  `csv:"gpu_residency"`
	EMCs       residency  `csv:"mem_residency"`
}

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
		r.runs.Add(r.runCodec.Print(&line))
	}
	if err := r.runs.Flush(true); err != nil {
		r.runs.Drop()
		return err
	}
	return nil
}

// lines returns the run, part by part.
func (r Run) lines() (out []runLine) {
	c := r.Character
	add := func(name string, p Part, whole *Character) {
		if none := (tegra.Val[float64]{}); whole == nil { // what is known of the whole run alone
			p.CPUMedianPct, p.GPUMedianPct, p.RAMMedianBytes, p.MeterW = none, none, none, none
		}
		repeat := tegra.Val[int]{V: r.Repeat, OK: r.Repeat > 0}
		l := runLine{Mode: r.Mode, Setting: r.Setting, Repeat: repeat, Status: r.Status, Why: r.Why, Name: name,
			Part: p, Whole: whole}
		if whole != nil {
			l.CPUs, l.GPUs, l.EMCs = residency(c.CPU), residency(c.GPU), residency(c.EMC)
		}
		out = append(out, l)
	}
	if len(c.Epochs) > 1 {
		for _, p := range c.Epochs {
			add(partEpoch, p, nil)
		}
	}
	if c.First.OK {
		add(partFirst, c.First.V, nil)
	}
	if c.Later.OK {
		add(partLater, c.Later.V, nil)
	}
	add(partAll, c.All, &c)
	return out
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
	var run Run // whose lines are being read
	var codec csvlines.Codec[runLine]
	csvlines.Each(bytes.NewReader(text), func(n int, f []string, err error) error {
		if n == 1 { // the header, of an older jtune perhaps
			codec = csvlines.NewCodec[runLine](f)
			return nil
		}
		var done bool
		if err == nil {
			done, err = run.take(&codec, f)
		}
		if err != nil {
			notes = append(notes, unreadable(runsName, n, err))
			run = Run{}
			return err
		}
		if done {
			runs, run = append(runs, run), Run{}
		}
		return nil
	})
	return runs, notes
}

// take adds a line to a run; done: it was the run's last. A line that cannot continue the run begins another: that one
// was interrupted.
func (r *Run) take(codec *csvlines.Codec[runLine], f []string) (done bool, err error) {
	l, empty, err := codec.Read(f)
	switch {
	case err != nil:
		return false, err
	case empty != nil:
		return false, csvlines.Unreadable(empty[0])
	case !slices.Contains(statuses, l.Status):
		return false, fmt.Errorf("status is %q", text.Clip(string(l.Status)))
	case l.Mode != r.Mode || l.Setting != r.Setting || l.Repeat.V != r.Repeat || l.begins(&r.Character):
		r.Character = Character{}
	}
	r.Mode, r.Setting, r.Repeat, r.Status, r.Why = l.Mode, l.Setting, l.Repeat.V, l.Status, l.Why
	c := &r.Character
	switch l.Name {
	case partEpoch:
		c.Epochs = append(c.Epochs, l.Part)
	case partFirst:
		c.First = tegra.Some(l.Part)
	case partLater:
		c.Later = tegra.Some(l.Part)
	case partAll:
		if l.Whole == nil {
			return false, csvlines.Unreadable("workers")
		}
		l.Whole.All, l.Whole.First, l.Whole.Later, l.Whole.Epochs = l.Part, c.First, c.Later, c.Epochs
		l.Whole.CPU, l.Whole.GPU = telemetry.Residency(l.CPUs), telemetry.Residency(l.GPUs)
		l.Whole.EMC = telemetry.Residency(l.EMCs)
		if r.Character = *l.Whole; len(c.Epochs) == 0 {
			c.Epochs = []Part{l.Part}
		}
		if c.Latency.OK {
			c.Latency.V.N = c.All.Minibatches
		}
		return true, nil
	default:
		return false, csvlines.Unreadable("part")
	}
	return false, nil
}

// begins reports whether a line cannot continue a run: that one was interrupted and written again.
func (l *runLine) begins(c *Character) bool {
	switch l.Name {
	case partEpoch:
		n := len(c.Epochs)
		return n > 0 && l.Epoch <= c.Epochs[n-1].Epoch || c.First.OK || c.Later.OK
	case partFirst:
		return c.First.OK || c.Later.OK
	case partLater:
		return c.Later.OK
	}
	return false
}

// residency is the form of a telemetry.Residency in runs.csv.
type residency telemetry.Residency

// CSV prints "kernel 1300500000:0.98 624750000:0.02", in Hz.
func (r *residency) CSV() string {
	if !telemetry.Residency(*r).OK() {
		return ""
	}
	out := r.Source
	for _, s := range r.Shares {
		out += fmt.Sprintf(" %d:%s", int64(s.Freq), strconv.FormatFloat(s.Share, 'f', -1, 64))
	}
	return out
}

// SetCSV reads what CSV prints.
func (r *residency) SetCSV(text string) bool {
	f := strings.Fields(text)
	if len(f) == 0 {
		return true
	}
	r.Source = f[0]
	for _, pair := range f[1:] {
		hz, share, _ := strings.Cut(pair, ":")
		v, err1 := strconv.ParseInt(hz, 10, 64)
		x, err2 := strconv.ParseFloat(share, 64)
		if err1 != nil || err2 != nil || v <= 0 || !(x >= 0 && x <= 1) {
			return false
		}
		r.Shares = append(r.Shares, telemetry.ClockShare{Freq: tegra.Freq(v), Share: x})
	}
	return true
}
