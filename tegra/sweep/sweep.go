// Package sweep reads sweep files: one row per power mode with the
// time and power that a workload took in it.
//
//	modes.csv, published sweeps ──► Read ──► Table ──► virtual, profiles, learn, cli
//	tegra.Measured ──► Fields ──► a row of modes.csv
package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jtune/tegra"
	"jtune/tegra/quantile"
)

// Columns are the required ones, in the order in which files are written.
var Columns = []string{"cores", "cpu_khz", "gpu_hz", "mem_hz", "time_ms", "power_w"}

// alias is another name of one of Columns, whose values times unit are that
// column's.
type alias struct {
	column string
	unit   float64
}

// aliases are the names that published data use for Columns: PowerTrain's and
// its derived ones (power in mW), and FlexiBO's of a TX2 (time in s).
var aliases = map[string]alias{"cpu": {"cpu_khz", 1}, "gpu": {"gpu_hz", 1}, "mem": {"mem_hz", 1}, "observed_time": {"time_ms", 1}, "observed_power": {"power_w", 1},
	"time_ms_median": {"time_ms", 1}, "power_mw_median": {"power_w", 1e-3},
	"core_freq": {"cpu_khz", 1}, "gpu_freq": {"gpu_hz", 1}, "emc_freq": {"mem_hz", 1}, "inference_time": {"time_ms", 1000}}

// coreStatus is the name of a FlexiBO column that tells whether a core is on,
// 1 or 0; the number of cores is their sum.
var coreStatus = regexp.MustCompile(`^core\d+_status$`)

// soundsLikePower tells whether an unknown column may be power under another
// name, so that it would be wrong to say that the file has none.
func soundsLikePower(column string) bool {
	return column != notPower && likePower.MatchString(column)
}

var likePower = regexp.MustCompile(`power|watt|_m?w$`)

// notPower is a column of FlexiBO's: the sum of all readings during an
// inference, which grows with its time.
const notPower = "power_consumption"

// Row is one line of a sweep file.
type Row struct {
	tegra.Measured     // its Batch is 0 when the file has no bs column
	Line           int // in the file, from 1
	// Extra holds the unknown columns' texts, in the order of Table.Extra.
	Extra []string
}

// Problem is a row that was skipped, and why.
type Problem struct {
	Line int
	Why  string
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Why) }

// Table is a sweep file in memory.
type Table struct {
	Name     string
	Rows     []Row
	Extra    []string // names of the unknown columns
	HasBatch bool
	TimeOnly bool // no row has a power
	Problems []Problem
}

// Options say what to ask of a file.
type Options struct {
	// Strict makes the first bad row fatal.
	Strict bool
	// ModesOnly asks for the four knob columns alone (predict --modes).
	ModesOnly bool
	// TimeOnly takes a file without a power column too; its rows have none. A
	// column that may be power under a name of its own is still an error.
	TimeOnly bool
}

// ReadFile reads a sweep file, or the modes.csv of a campaign folder.
func ReadFile(path string, o Options) (*Table, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		path = filepath.Join(path, "modes.csv")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads a sweep. Rows that do not parse, or hold NaN or a value that is
// not positive, are skipped and listed in Problems. A row is a line, so that
// an unclosed quote costs just its own. No usable row is an error, but for a
// list of modes that has no row at all.
func Read(r io.Reader, name string, o Options) (*Table, error) {
	l := newLines(r)
	t := &Table{Name: name}
	place, err := t.header(l, o)
	if err != nil {
		return nil, err
	}
	for {
		record, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var row Row
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			err = bad.Err // its line is not the file's
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		default:
			row, err = place.row(record, o)
		}
		if err != nil {
			p := Problem{l.number, err.Error()}
			if o.Strict {
				return nil, fmt.Errorf("%s: %s", name, p)
			}
			t.Problems = append(t.Problems, p)
			continue
		}
		row.Line = l.number
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		if len(t.Problems) > 0 {
			return nil, fmt.Errorf("%s: no usable row; first problem: %s", name, t.Problems[0])
		}
		if !o.ModesOnly {
			return nil, fmt.Errorf("%s: header only, no measured modes", name)
		}
	}
	return t, nil
}

// columns is where each known column stands in a record; -1 when absent.
type columns struct {
	at    map[string]int
	unit  map[string]float64 // that its values are multiplied with
	cores []int              // whose sum is the number of cores, in place of that column
	extra []int
	width int
}

func (t *Table) header(l *lines, o Options) (columns, error) {
	record, err := l.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("empty file")
		}
		return columns{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	p := columns{at: map[string]int{}, unit: map[string]float64{}, width: len(record)}
	for i, name := range record {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		known, unit := name, 1.0
		if a, ok := aliases[name]; ok {
			known, unit = a.column, a.unit
		}
		_, twice := p.at[known]
		switch {
		case !twice && (slices.Contains(Columns, known) || known == "bs" && !o.ModesOnly):
			p.at[known], p.unit[known] = i, unit
		case coreStatus.MatchString(name):
			p.cores = append(p.cores, i)
		default:
			p.extra = append(p.extra, i)
			t.Extra = append(t.Extra, strings.Clone(name))
		}
	}
	_, t.HasBatch = p.at["bs"]
	need := Columns
	switch _, power := p.at["power_w"]; {
	case o.ModesOnly:
		need = Columns[:4]
	case o.TimeOnly && !power && !slices.ContainsFunc(t.Extra, soundsLikePower):
		need, t.TimeOnly = Columns[:5], true
	}
	if _, ok := p.at["cores"]; !ok && len(p.cores) > 0 {
		need = need[1:]
	}
	for _, name := range need {
		if _, ok := p.at[name]; !ok {
			return columns{}, fmt.Errorf("%s: column %s is missing; a sweep file needs %s", t.Name, name, strings.Join(Columns[:max(4, len(need))], ","))
		}
	}
	return p, nil
}

func (p columns) row(record []string, o Options) (Row, error) {
	var row Row
	if len(record) < p.width {
		return row, fmt.Errorf("%d fields where the header has %d (torn line?)", len(record), p.width)
	}
	number := func(column string) (float64, error) {
		text := strings.TrimSpace(record[p.at[column]])
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
			return 0, fmt.Errorf("%s is %q, not a number", column, clip(text))
		case v <= 0:
			return 0, fmt.Errorf("%s is %s, must be positive", column, text)
		}
		return v, nil
	}
	v := [6]float64{5: math.NaN()}
	for i, name := range Columns {
		if _, ok := p.at[name]; !ok || o.ModesOnly && i >= 4 {
			continue
		}
		x, err := number(name)
		if err != nil {
			return row, err
		}
		v[i] = x * p.unit[name]
	}
	if _, ok := p.at["cores"]; !ok {
		var err error
		if v[0], err = p.online(record); err != nil {
			return row, err
		}
	}
	if err := plausible(v[0], v[1], v[2], v[3]); err != nil {
		return row, err
	}
	row.Mode = tegra.Mode{Cores: int(v[0]), CPU: hertz(v[1] * 1000), GPU: hertz(v[2]), EMC: hertz(v[3])}
	row.TimeMS, row.PowerW = v[4], v[5]
	if _, ok := p.at["bs"]; ok {
		b, err := number("bs")
		if err != nil || b != math.Trunc(b) || b > 1<<20 {
			return row, fmt.Errorf("bs is %q, not a minibatch size", clip(record[p.at["bs"]]))
		}
		row.Batch = int(b)
	}
	for _, i := range p.extra {
		row.Extra = append(row.Extra, strings.Clone(record[i]))
	}
	return row, nil
}

// online adds up the cores that are on.
func (p columns) online(record []string) (float64, error) {
	n := 0.0
	for _, i := range p.cores {
		switch text := strings.TrimSpace(record[i]); text {
		case "1":
			n++
		case "0":
		default:
			return 0, fmt.Errorf("the state of a core is %q, not 0 or 1", clip(text))
		}
	}
	if n == 0 {
		return 0, errors.New("no core is on")
	}
	return n, nil
}

func hertz(v float64) tegra.Freq { return tegra.Freq(math.Round(v)) }

// plausible refuses values in the wrong unit: the slowest clock a Jetson lists
// is 40.8 MHz (TX2 memory), the fastest 4.3 GHz.
func plausible(cores, cpuKHz, gpuHz, memHz float64) error {
	switch {
	case cores != math.Trunc(cores) || cores > 1024:
		return fmt.Errorf("cores is %g, not a core count", cores)
	case cpuKHz > 2e7:
		return fmt.Errorf("cpu_khz is %.0f: looks like Hz where kHz belongs", cpuKHz)
	case cpuKHz < 2e4:
		return fmt.Errorf("cpu_khz is %g: looks like MHz where kHz belongs", cpuKHz)
	case gpuHz < 2e7:
		return fmt.Errorf("gpu_hz is %.0f: looks like kHz where Hz belongs", gpuHz)
	case memHz < 2e7:
		return fmt.Errorf("mem_hz is %.0f: looks like kHz where Hz belongs", memHz)
	case gpuHz > 2e10 || memHz > 2e10:
		return fmt.Errorf("gpu_hz %.0f or mem_hz %.0f is above 20 GHz", gpuHz, memHz)
	}
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// ForBatches keeps the rows of some minibatch sizes.
func (t *Table) ForBatches(sizes []int) *Table {
	kept := *t
	kept.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !slices.Contains(sizes, r.Batch) })
	return &kept
}

// Workload is what every row names in a column "workload"; "" without one, or
// when rows differ.
func (t *Table) Workload() string {
	at := slices.IndexFunc(t.Extra, func(name string) bool { return strings.EqualFold(name, "workload") })
	if at < 0 || len(t.Rows) == 0 {
		return ""
	}
	first := t.Rows[0].Extra[at]
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Extra[at] != first }) {
		return ""
	}
	return first
}

// Batches lists the minibatch sizes in the file, ascending.
func (t *Table) Batches() []int {
	var out []int
	for _, r := range t.Rows {
		out = append(out, r.Batch)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Measured gives one value per distinct mode, the median where a mode stands
// more than once, in the order of first appearance.
func (t *Table) Measured() []tegra.Measured { return t.medians(false) }

// Settings is Measured per distinct mode and minibatch size, which the values
// then say.
func (t *Table) Settings() []tegra.Measured { return t.medians(true) }

func (t *Table) medians(sized bool) []tegra.Measured {
	type setting struct {
		mode  tegra.Mode
		batch int
	}
	times, powers := map[setting][]float64{}, map[setting][]float64{}
	var order []setting
	for _, r := range t.Rows {
		at := setting{mode: r.Mode}
		if sized {
			at.batch = r.Batch
		}
		if _, seen := times[at]; !seen {
			order = append(order, at)
		}
		times[at] = append(times[at], r.TimeMS)
		powers[at] = append(powers[at], r.PowerW)
	}
	out := make([]tegra.Measured, len(order))
	for i, at := range order {
		out[i] = tegra.Measured{Mode: at.mode, Batch: at.batch, TimeMS: quantile.Median(times[at]).V, PowerW: quantile.Median(powers[at]).Or(math.NaN())}
	}
	return out
}

// Modes lists the distinct modes in the order of first appearance.
func (t *Table) Modes() []tegra.Mode {
	measured := t.Measured()
	out := make([]tegra.Mode, len(measured))
	for i, m := range measured {
		out[i] = m.Mode
	}
	return out
}

// Fields prints the six required columns of a row, as files hold them.
func Fields(m tegra.Measured) []string {
	num := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return []string{strconv.Itoa(m.Mode.Cores), strconv.FormatInt(m.Mode.CPU.KHz(), 10), strconv.FormatInt(int64(m.Mode.GPU), 10),
		strconv.FormatInt(int64(m.Mode.EMC), 10), num(m.TimeMS), num(m.PowerW)}
}
