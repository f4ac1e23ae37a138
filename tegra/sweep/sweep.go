// Package sweep reads sweep files: one row per power mode with the
// time and power that a workload took in it.
//
//	modes.csv, published sweeps ──► Read ──► Table ──► virtual, profiles, learn, cli
//	tegra.Measured ──► Fields ──► a row of modes.csv
package sweep

import (
	"bufio"
	"cmp"
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

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
)

// Columns are the required ones, in the order in which files are written.
var Columns = []string{"cores", "cpu_khz", "gpu_hz", "mem_hz", "time_ms", "power_w"}

// VirtualColumn says of each row whether it comes from a simulation or a replay, true, or from a real board, false.
// Files of others and of older versions lack it.
const VirtualColumn = "virtual"

// alias is another name of one of Columns, whose values times unit are that
// column's.
type alias struct {
	column string
	unit   float64
}

// aliases are the names that published data use for Columns: PowerTrain's and
// its derived ones (power in mW), and FlexiBO's of a TX2 (time in s).
var aliases = map[string]alias{"cpu": {"cpu_khz", 1}, "gpu": {"gpu_hz", 1}, "mem": {"mem_hz", 1},
	"observed_time": {"time_ms", 1}, "observed_power": {"power_w", 1},
	"time_ms_median": {"time_ms", 1}, "power_mw_median": {"power_w", 1e-3},
	"core_freq": {"cpu_khz", 1}, "gpu_freq": {"gpu_hz", 1}, "emc_freq": {"mem_hz", 1},
	"inference_time": {"time_ms", 1000}}

// coreStatus is the name of a FlexiBO column that holds whether a core is on,
// 1 or 0; the number of cores is their sum.
var coreStatus = regexp.MustCompile(`^core\d+_status$`)

// soundsLikePower reports whether an unknown column may be power under another
// name, so that the file must not be reported to have none.
func soundsLikePower(column string) bool {
	return column != notPower && likePower.MatchString(column)
}

var likePower = regexp.MustCompile(`power|watt|_m?w$`)

// notPower is a column of FlexiBO's: the sum of all readings during an
// inference, which grows with its time.
const notPower = "power_consumption"

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
	Copies   int    // rows left out as copies of others, to the last digit: one reading each
	Doubt    string // what in all rows together looks wrong, though each may be right; "" for nothing
}

// Options of Read and ReadFile.
type Options struct {
	// Strict makes the first bad row fatal.
	Strict bool
	// ModesOnly asks for the four knob columns alone (predict --modes).
	ModesOnly bool
	// Space takes, with ModesOnly, a list without a header too: a line is then
	// what Space.Select reads.
	Space *tegra.Space
	// Such a list may name presets.
	Presets []tegra.Preset
	// TimeOnly takes a file without a power column too; its rows have none. A
	// column that may be power under a name of its own is still an error.
	TimeOnly bool
}

// Bounds of a file, beside those of package safefile.
const (
	mostBytes   = 32 << 20
	mostLines   = 100_000 // three times the modes of the largest board; bad, empty and equal ones count
	mostColumns = 1000
	mostCells   = 2_000_000
	mostClocks  = 1000 // of a knob; boards list a few dozen
	// hopeless is how many rows may be bad while none is good.
	hopeless = 10_000
)

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
// list of modes that has no row at all. Rows that are alike in every digit, those
// of unknown columns included, are one reading.
func Read(r io.Reader, name string, o Options) (*Table, error) {
	t := &Table{Name: name}
	r = safefile.Lines(safefile.Most(r, mostBytes))
	if o.ModesOnly && o.Space != nil {
		from := bufio.NewReader(r)
		if r = from; selects(from, o.Presets) {
			return t, t.selections(from, o)
		}
	}
	l := newLines(r)
	place, err := t.header(l, o)
	if err != nil {
		return nil, err
	}
	seen := map[uint64]int{} // rows by their hash
	cells := 0
	for {
		record, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if cells += len(record); cells > mostCells {
			return nil, fmt.Errorf("%s: more than %s cells", name, text.Thousands(mostCells))
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
			if len(t.Rows) == 0 && len(t.Problems) >= hopeless {
				break
			}
			continue
		}
		if !o.ModesOnly {
			hash := row.hash()
			if i, ok := seen[hash]; ok && row.alike(t.Rows[i]) {
				t.Copies++
				continue
			}
			seen[hash] = len(t.Rows)
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
	if all := t.Readings(); !o.ModesOnly {
		if err := cmp.Or(scattered(all), Swapped(all)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.Doubt = doubt(all)
	}
	return t, nil
}

// columns is the index of each known column in a record; -1 when absent.
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
	if len(record) > mostColumns {
		return columns{}, fmt.Errorf("%s: %s columns, at most %s", t.Name, text.Thousands(len(record)),
			text.Thousands(mostColumns))
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
			if slices.ContainsFunc(t.Extra, func(cell string) bool { return strings.Contains(cell, ";") }) {
				return columns{}, fmt.Errorf("%s: semicolons separate its columns; a sweep file has commas", t.Name)
			}
			return columns{}, fmt.Errorf("%s: column %s is missing; a sweep file needs %s", t.Name, name,
				strings.Join(Columns[:max(4, len(need))], ","))
		}
	}
	return p, nil
}

func (p columns) row(record []string, o Options) (Row, error) {
	var row Row
	if len(record) < p.width {
		return row, fmt.Errorf("%d fields where the header has %d (torn line?)", len(record), p.width)
	}
	var fields []string
	var units []float64
	for i, name := range Columns {
		at, ok := p.at[name]
		switch {
		case o.ModesOnly && i >= 4, !ok && name == "power_w":
			continue
		case ok:
			fields = append(fields, record[at])
		default: // cores, as the sum of their states
			n, err := p.online(record)
			if err != nil {
				return row, err
			}
			fields = append(fields, strconv.Itoa(n))
		}
		units = append(units, cmp.Or(p.unit[name], 1))
	}
	var err error
	if row.Measured, err = parse(fields, units); err != nil {
		return row, err
	}
	if at, ok := p.at["bs"]; ok {
		b, err := number("bs", record[at])
		if err != nil || b != math.Trunc(b) || b > 1<<20 {
			return row, fmt.Errorf("bs is %q, not a batch size", text.Clip(record[at]))
		}
		row.Batch = int(b)
	}
	if len(p.extra) > 0 {
		row.Extra = make([]string, len(p.extra))
	}
	for i, at := range p.extra {
		row.Extra[i] = record[at] // all of a line share its text
	}
	return row, nil
}

// Parse reads fields in the order of Columns: those of a mode, or of a mode with its time and power. An absent value is
// NaN.
func Parse(fields []string) (tegra.Measured, error) { return parse(fields, nil) }

// parse is Parse of values that are multiplied with units first; nil: they are
// in those of Columns.
func parse(fields []string, units []float64) (tegra.Measured, error) {
	v := [6]float64{4: math.NaN(), 5: math.NaN()}
	for i, raw := range fields {
		x, err := number(Columns[i], raw)
		if err != nil {
			return tegra.Measured{}, err
		}
		if v[i] = x; units != nil {
			v[i] *= units[i]
		}
	}
	if err := plausible(v[0], v[1], v[2], v[3]); err != nil {
		return tegra.Measured{}, err
	}
	mode := tegra.Mode{Cores: int(v[0]), CPU: hertz(v[1]) * tegra.KHz, GPU: hertz(v[2]), EMC: hertz(v[3])}
	m := tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: v[4], PowerW: v[5]}
	return m, m.Plausible()
}

// number reads the value of a column.
func number(column, raw string) (float64, error) {
	raw = strings.TrimSpace(raw)
	v, err := strconv.ParseFloat(raw, 64)
	switch {
	case strings.ContainsAny(raw, "_xX"), err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is %q, not a number", column, text.Clip(raw))
	case v <= 0:
		return 0, fmt.Errorf("%s is %s, must be positive", column, raw)
	}
	return v, nil
}

// online adds up the cores that are on.
func (p columns) online(record []string) (int, error) {
	n := 0
	for _, i := range p.cores {
		switch raw := strings.TrimSpace(record[i]); raw {
		case "1":
			n++
		case "0":
		default:
			return 0, fmt.Errorf("the state of a core is %q, not 0 or 1", text.Clip(raw))
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
	case math.Abs(cpuKHz-math.Round(cpuKHz)) > 1e-3: // more than what a conversion of units leaves
		return fmt.Errorf("cpu_khz is %g, not a whole number of kHz", cpuKHz)
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

// ForBatches keeps the rows of some batch sizes.
func (t *Table) ForBatches(sizes []int) *Table {
	kept := *t
	kept.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !slices.Contains(sizes, r.Batch) })
	return &kept
}

// Workload is what every row names in a column "workload"; "" without one, or
// when rows differ.
func (t *Table) Workload() string {
	at := slices.Index(t.Extra, "workload")
	if at < 0 || len(t.Rows) == 0 {
		return ""
	}
	first := t.Rows[0].Extra[at]
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Extra[at] != first }) {
		return ""
	}
	return first
}

// Virtual reports whether a row says by VirtualColumn that no real board measured it.
func (t *Table) Virtual() bool {
	at := slices.Index(t.Extra, VirtualColumn)
	return at >= 0 && slices.ContainsFunc(t.Rows, func(r Row) bool { return strings.TrimSpace(r.Extra[at]) == "true" })
}

// Batches lists the batch sizes in the file, ascending.
func (t *Table) Batches() []int {
	var out []int
	for _, r := range t.Rows {
		out = append(out, r.Batch)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Readings are the measurements of all rows, each with the batch size that it has.
func (t *Table) Readings() []tegra.Measured {
	out := make([]tegra.Measured, len(t.Rows))
	for i, r := range t.Rows {
		out[i] = r.Measured
	}
	return out
}

// Measured returns one value per distinct mode, the median where a mode stands
// more than once, in the order of first appearance.
func (t *Table) Measured() []tegra.Measured {
	rows := t.Readings()
	for i := range rows {
		rows[i].Batch = 0
	}
	return tegra.OncePerSetting(rows)
}

// Settings is Measured per distinct mode and batch size, which the values then
// have.
func (t *Table) Settings() []tegra.Measured { return tegra.OncePerSetting(t.Readings()) }

// Modes lists the distinct modes in the order of first appearance.
func (t *Table) Modes() []tegra.Mode {
	return tegra.ModesOf(tegra.SettingsOf(t.Measured()))
}

// ModeFields prints the columns of a mode, as files hold them.
func ModeFields(m tegra.Mode) []string {
	v := m.Values()
	v[tegra.KnobCPU] /= int64(tegra.KHz)
	var out []string
	for _, x := range v {
		out = append(out, strconv.FormatInt(x, 10))
	}
	return out
}

// ParseMode reads what ModeFields prints.
func ParseMode(fields []string) (tegra.Mode, error) {
	var v [tegra.NumKnobs]int64
	if len(fields) != len(v) {
		return tegra.Mode{}, errors.New("want cores, CPU kHz, GPU Hz and memory Hz")
	}
	for i, f := range fields {
		var err error
		if v[i], err = strconv.ParseInt(f, 10, 64); err != nil || v[i] <= 0 || v[i] > 1e12 {
			return tegra.Mode{}, fmt.Errorf("%q is not a value of a power mode", text.Clip(f))
		}
	}
	v[tegra.KnobCPU] *= int64(tegra.KHz)
	return tegra.ModeOfValues(v), nil
}

// Fields prints the six required columns of a row, as files hold them.
func Fields(m tegra.Measured) []string {
	num := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return append(ModeFields(m.Mode), num(m.TimeMS), num(m.PowerW))
}
