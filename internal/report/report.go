// Package report writes the rows of a table as text, CSV and JSON from one list of columns.
//
//	rows, Table (columns: key, title, unit, value) ──► text in columns, CSV, JSON objects
//
// An absent value is a dash in text, an empty field in CSV and null in JSON.
package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"jtune/internal/text"
)

// Column is a column of a table whose rows are T.
type Column[T any] struct {
	Key   string // in CSV and JSON; "": only in text
	Title string // in text; "" with a key: only in CSV and JSON
	Unit  string // after each value in text
	Of    func(T) any
	Text  func(T) string // in text, instead of Of and Unit
	Form  Form           // where the column appears, if not in both CSV and JSON
}

// Form says where a column with a key appears.
type Form int

const (
	Everywhere Form = iota
	JSON
	CSV
)

// Table is the columns of a table.
type Table[T any] []Column[T]

// Exact is a number that CSV prints with all digits instead of six.
type Exact float64

// Text writes rows in columns below their titles, then more rows of cells.
func (t Table[T]) Text(w io.Writer, rows []T, more ...[]string) error {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, t.Cells(r))
	}
	return Grid(w, append(append([][]string{t.titles()}, cells...), more...)...)
}

func (t Table[T]) titles() (list []string) {
	for _, c := range t.shown() {
		list = append(list, c.Title)
	}
	return list
}

// shown returns the columns in text.
func (t Table[T]) shown() (list Table[T]) {
	for _, c := range t {
		if c.Title != "" || c.Key == "" {
			list = append(list, c)
		}
	}
	return list
}

// Cells formats a row as text.
func (t Table[T]) Cells(row T) (list []string) {
	for _, c := range t.shown() {
		if c.Text != nil {
			list = append(list, c.Text(row))
			continue
		}
		cell := Shown(c.Of(row))
		if cell != none && c.Unit != "" {
			cell += " " + c.Unit
		}
		list = append(list, cell)
	}
	return list
}

// CSV writes rows below their keys.
func (t Table[T]) CSV(to io.Writer, rows []T) error {
	w, columns := csv.NewWriter(to), t.keyed(CSV)
	w.Write(columns.Head())
	for _, r := range rows {
		w.Write(columns.Fields(r))
	}
	w.Flush()
	return w.Error()
}

// Head returns the keys, as the first line of a CSV table.
func (t Table[T]) Head() (list []string) {
	for _, c := range t {
		list = append(list, c.Key)
	}
	return list
}

// Fields formats a row of a CSV table.
func (t Table[T]) Fields(row T) []string {
	list := make([]string, len(t))
	for i, c := range t {
		list[i] = field(c.Of(row))
	}
	return list
}

// keyed returns the columns in CSV or JSON.
func (t Table[T]) keyed(form Form) (list Table[T]) {
	for _, c := range t {
		if c.Key != "" && (c.Form == Everywhere || c.Form == form) {
			list = append(list, c)
		}
	}
	return list
}

// Objects converts rows for a JSON document.
func (t Table[T]) Objects(rows []T) []Object {
	list, columns := []Object{}, t.keyed(JSON)
	for _, r := range rows {
		o := make(Object, 0, len(columns))
		for _, c := range columns {
			o = append(o, [2]any{c.Key, c.Of(r)})
		}
		list = append(list, o)
	}
	return list
}

// Object converts a row for a JSON document.
func (t Table[T]) Object(row T) Object { return t.Objects([]T{row})[0] }

// Object is a JSON object: keys and values, in order.
type Object [][2]any

// MarshalJSON encodes the members in order; numbers that are not finite become null.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for _, m := range o {
		if m[1] == (omitted{}) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		if v, ok := m[1].(float64); ok && !finite(v) {
			m[1] = nil
		}
		e.Encode(m[0])
		b.WriteByte(':')
		if err := e.Encode(m[1]); err != nil {
			return nil, fmt.Errorf("%v: %w", m[0], err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// omitted is the value of a member that is not there.
type omitted struct{}

// IfAny returns a value for a member of an object that is left out, instead of null, if the value is absent, zero, or
// an empty text or list.
func IfAny(v any) any {
	if absent(v) {
		return omitted{}
	}
	return v
}

// Join merges the members of several objects into one JSON object, in order.
func Join(objects ...any) (json.RawMessage, error) {
	var members [][]byte
	for _, o := range objects {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(o); err != nil {
			return nil, err
		}
		if in := bytes.TrimSpace(b.Bytes()); len(in) > len("{}") {
			members = append(members, in[1:len(in)-1])
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// optional is a value that may be absent, like tegra.Val.
type optional interface{ Get() (v any, ok bool) }

func absent(v any) bool {
	switch v := v.(type) {
	case float64:
		return !finite(v) || v == 0
	case optional:
		_, ok := v.Get()
		return !ok
	}
	of := reflect.ValueOf(v)
	return !of.IsValid() || of.IsZero() || of.Kind() == reflect.Slice && of.Len() == 0
}

const none = "–"

// Shown formats a value as text.
func Shown(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case text.Optional:
		return cmp.Or(string(v), none)
	case int:
		return text.Thousands(v)
	case float64:
		return text.Of(v)
	case []string:
		return strings.Join(v, " ")
	case optional:
		if v, ok := v.Get(); ok {
			return Shown(v)
		}
		return none
	}
	return fmt.Sprint(v)
}

// field formats a value for CSV.
func field(v any) string {
	switch v := v.(type) {
	case float64:
		return Number(v)
	case Exact:
		if finite(float64(v)) {
			return strconv.FormatFloat(float64(v), 'g', -1, 64)
		}
		return ""
	case []string:
		return strings.Join(v, " ")
	case optional:
		if v, ok := v.Get(); ok {
			return field(v)
		}
		return ""
	}
	return fmt.Sprint(v)
}

// Number formats a value with six significant digits and no exponent; "" if it is not finite.
func Number(v float64) string {
	if !finite(v) {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Facts are names and their values as text, "" where one is absent.
type Facts [][2]string

// Text writes the facts that have a value, one per line.
func (f Facts) Text(w io.Writer) error {
	var rows [][]string
	for _, one := range f {
		if one[1] != "" {
			rows = append(rows, one[:])
		}
	}
	return Rows(w, rows...)
}

// Columns returns the width of the terminal that a writer shows text on; 0 if it is none.
func Columns(w io.Writer) int {
	if screen, ok := w.(interface{ Columns() int }); ok {
		return screen.Columns()
	}
	return 0
}

// Grid writes rows in columns; the first row is the heading. On a terminal the lines are no wider than that.
func Grid(w io.Writer, rows ...[]string) error { return fitted(w, rows, true) }

// Rows is Grid without a heading.
func Rows(w io.Writer, rows ...[]string) error { return fitted(w, rows, false) }

// fitted writes rows in the first form that is no wider than the terminal: unchanged, closer together, with cells of
// several lines, or each row below its first cell.
func fitted(w io.Writer, rows [][]string, headed bool) error {
	width := Columns(w)
	lines := aligned(rows, 2)
	if width > 0 && widest(lines) > width {
		if lines = aligned(rows, 1); widest(lines) > width {
			lines = narrowed(rows, width, headed)
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// aligned returns the lines of rows whose columns stand a gap apart.
func aligned(rows [][]string, gap int) (lines []string) {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, gap, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

func widest(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// narrowed folds the rows in columns; those that are too wide even so are listed, and all if these are many.
func narrowed(rows [][]string, width int, headed bool) (lines []string) {
	var heads []string
	if headed {
		heads = rows[0]
	}
	apart := make([]bool, len(rows))
	columns := columnsIn(rows, apart, width)
	for n := 1; columns == nil; n++ {
		if 4*n > len(rows) {
			if headed {
				rows = rows[1:]
			}
			for _, r := range rows {
				lines = append(lines, listed(r, heads, width)...)
			}
			return lines
		}
		apart[widestOf(rows, apart)] = true
		columns = columnsIn(rows, apart, width)
	}
	var cells [][]string
	heights := make([]int, len(rows))
	for i, r := range rows {
		if apart[i] {
			continue
		}
		top := len(cells)
		for k, cell := range r {
			for n, line := range strings.Split(text.Fold(cell, "", roomOf(r, k, columns, width)), "\n") {
				if top+n == len(cells) {
					cells = append(cells, make([]string, len(r)))
				}
				cells[top+n][k] = line
			}
		}
		heights[i] = len(cells) - top
	}
	done := aligned(cells, 2)
	for i, r := range rows {
		if apart[i] {
			lines = append(lines, listed(r, heads, width)...)
		}
		lines, done = append(lines, done[:heights[i]]...), done[heights[i]:]
	}
	return lines
}

// widestOf returns the row, of those in columns, that needs most room.
func widestOf(rows [][]string, apart []bool) (at int) {
	most := 0
	for i, r := range rows {
		n := 0
		for _, cell := range r {
			n += narrowest(cell) + 2
		}
		if n > most && !apart[i] {
			at, most = i, n
		}
	}
	return at
}

// readable is how wide the last cell of a row stays at least, if it is that long.
const readable = 20

// columnsIn returns the widths of columns in which all rows fit but those apart; nil if there are none.
func columnsIn(all [][]string, apart []bool, width int) []int {
	var rows [][]string
	for i, r := range all {
		if !apart[i] {
			rows = append(rows, r)
		}
	}
	var columns, least []int // of all cells but the last of each row
	for _, r := range rows {
		for i, cell := range r[:len(r)-1] {
			if i == len(columns) {
				columns, least = append(columns, 0), append(least, 0)
			}
			columns[i], least[i] = max(columns[i], utf8.RuneCountInString(cell)), max(least[i], narrowest(cell))
		}
	}
	for _, r := range rows {
		n := len(r) - 1
		for roomOf(r, n, columns, width) < min(utf8.RuneCountInString(r[n]), max(narrowest(r[n]), readable)) {
			most := -1
			for i, w := range columns[:n] {
				if w > least[i] && (most < 0 || w > columns[most]) {
					most = i
				}
			}
			if most < 0 {
				return nil
			}
			columns[most]--
		}
	}
	return append([]int{}, columns...)
}

// roomOf returns how wide a cell of a row may be: as its column, or the last one as what is left.
func roomOf(row []string, i int, columns []int, width int) int {
	if i < len(row)-1 {
		return columns[i]
	}
	for _, w := range columns[:i] {
		width -= w + 2
	}
	return width
}

// narrowest returns how narrow a cell can be: words have lines of their own, figures stay with their units and bands.
func narrowest(cell string) (n int) {
	words := strings.Fields(cell)
	if len(words) < 4 && strings.ContainsAny(cell, "0123456789") {
		return utf8.RuneCountInString(cell)
	}
	for _, word := range words {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

// listed returns a row as text, with the heading, if there is one, before each cell but the first.
func listed(row, heads []string, width int) []string {
	var parts []string
	for i, cell := range row {
		if 0 < i && i < len(heads) && heads[i] != "" && cell != "" {
			cell = heads[i] + " " + cell
		}
		parts = append(parts, cell)
	}
	parts = text.Said(parts...)
	var lines []string
	if heads != nil && heads[0] != "" && len(parts) > 1 {
		lines, parts[0] = append(lines, text.FoldRow(parts[0], "  ", width)), ""
	}
	return append(lines, text.FoldRow(strings.Join(parts, "  "), "  ", width))
}
