package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// columns holds the index of each known column in a record; -1 if absent.
type columns struct {
	at    map[string]int
	unit  map[string]float64 // factor for its values
	cores []int              // columns whose sum replaces the number of cores
	mode  int                // index of ModeColumn, which replaces the four values; -1 if absent
	extra []int
	width int
}

func (t *Table) header(l *Lines, o Options) (columns, error) {
	record, err := l.Next()
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
	p := columns{at: map[string]int{}, unit: map[string]float64{}, mode: -1, width: len(record)}
	for i, name := range record {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		known := aliasOf(name)
		_, twice := p.at[known.column]
		switch {
		case !twice && (slices.Contains(Columns, known.column) || name == "bs" && !o.ModesOnly):
			p.at[known.column], p.unit[known.column] = i, known.unit
		case coreStatus.MatchString(name):
			p.cores = append(p.cores, i)
		default:
			p.extra = append(p.extra, i)
			t.Extra = append(t.Extra, strings.Clone(name))
		}
	}
	need := Columns
	switch _, power := p.at["power_w"]; {
	case o.ModesOnly:
		need = Columns[:4]
	case o.TimeOnly && !power && !slices.ContainsFunc(t.Extra, soundsLikePower):
		need, t.TimeOnly = Columns[:5], true
	}
	all := strings.Join(need, ",")
	valued := slices.ContainsFunc(Columns[:tegra.NumKnobs], func(name string) bool {
		_, ok := p.at[name]
		return ok
	})
	if i := slices.Index(t.Extra, ModeColumn); i >= 0 && !valued {
		p.mode, t.Rounded = p.extra[i], o.Space == nil
		p.extra, t.Extra = slices.Delete(p.extra, i, i+1), slices.Delete(t.Extra, i, i+1)
		need = need[tegra.NumKnobs:]
	} else if _, ok := p.at["cores"]; !ok && len(p.cores) > 0 {
		need = need[1:]
	}
	for _, name := range need {
		if _, ok := p.at[name]; !ok {
			return columns{}, fmt.Errorf("%s: column %s is missing; a sweep file needs %s, or %s in "+
				"place of the first four", t.Name, name, all, ModeColumn)
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
	first := 0
	if p.mode >= 0 {
		mode, err := o.mode(record[p.mode])
		if err != nil {
			return row, err
		}
		for knob, v := range mode.Values() {
			if tegra.Knob(knob) == tegra.KnobCPU {
				v /= int64(tegra.KHz)
			}
			fields, units = append(fields, strconv.FormatInt(v, 10)), append(units, 1)
		}
		first = len(fields)
	}
	for i, name := range Columns[first:] {
		at, ok := p.at[name]
		switch {
		case o.ModesOnly && first+i >= 4, !ok && name == "power_w":
			continue
		case ok:
			fields = append(fields, record[at])
		default: // cores as a sum of states
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
		row.Extra[i] = record[at] // all texts of a line share memory
	}
	return row, nil
}

// mode reads a cell of ModeColumn.
func (o Options) mode(cell string) (tegra.Mode, error) {
	if o.Space != nil {
		return o.Space.Parse(cell)
	}
	return tegra.ParseMode(cell)
}

// online returns the number of cores that are on.
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
