// Package report writes the rows of a table as text, CSV and JSON from one list of columns, which screens also draw,
// and prints the parts of a page.
//
//	rows, Table (columns: key, title, unit, value, room) ──► document.Table, CSV, JSON objects, widget.Table
//	document.Part ──► text, no wider than the terminal
//
// An absent value is a dash in text, an empty field in CSV and null in JSON. A column of Some is left out where no row
// has a value, and a member of an object where its row has none.
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

	"jtune/internal/document"
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
	Some  bool           // left out where no row has a value, see IfAny

	// The rest is for a table on a screen.
	Width int  // least; 0: the column is on no screen
	Right bool // a number: right-aligned, never cut
	Whole bool // a text that is never cut, such as a mode
	Drop  int  // if room is short, columns with the highest value are dropped first; 0: never
	Off   bool // hidden
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

// Document returns the columns of the text as a table of a page.
func (t Table[T]) Document(rows []T) document.Table {
	t = t.filled(rows)
	out := document.Table{Head: t.Titles(), Numbers: len(t.shown())}
	for _, r := range rows {
		out.Rows = append(out.Rows, t.Cells(r))
	}
	return out
}

// filled returns the columns without those of Some for which no row has a value.
func (t Table[T]) filled(rows []T) (list Table[T]) {
	for _, c := range t {
		if !c.Some || slices.ContainsFunc(rows, func(row T) bool { return !absent(c.Of(row)) }) {
			list = append(list, c)
		}
	}
	return list
}

// value returns the column's value of a row.
func (c Column[T]) value(row T) any {
	if c.Some {
		return IfAny(c.Of(row))
	}
	return c.Of(row)
}

// Titles returns the heading of the text.
func (t Table[T]) Titles() (list []string) {
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
		list = append(list, c.Cell(row))
	}
	return list
}

// Cell formats the column's value of a row as text.
func (c Column[T]) Cell(row T) string {
	if c.Text != nil {
		return c.Text(row)
	}
	cell := Shown(c.value(row))
	if cell != none && c.Unit != "" {
		cell += " " + c.Unit
	}
	return cell
}

// At returns the columns of a screen for rows that are given by their index.
func (t Table[T]) At(row func(i int) T) (list Table[int]) {
	for _, c := range t {
		if c.Width > 0 {
			list = append(list, Column[int]{Title: c.Title, Width: c.Width, Right: c.Right, Whole: c.Whole,
				Drop: c.Drop, Off: c.Off, Text: func(i int) string { return c.Cell(row(i)) }})
		}
	}
	return list
}

// CSV writes rows below their keys.
func (t Table[T]) CSV(to io.Writer, rows []T) error {
	w, columns := csv.NewWriter(to), t.keyed(CSV).filled(rows)
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
		list[i] = field(c.value(row))
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
			o = append(o, [2]any{c.Key, c.value(r)})
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

func (omitted) Get() (v any, ok bool) { return nil, false }

// IfAny returns a value for a member of an object that is left out, instead of null, if the value is absent, zero, or
// an empty text or list.
func IfAny(v any) any {
	if absent(v) {
		return omitted{}
	}
	return v
}

// Alone returns the only entry of a list; several, or none, as the list.
func Alone[T any](list []T) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
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

// Record is one thing: of each field its key in JSON, its name in text (both "" where it does not appear), its value,
// and what text has instead of that, where "" leaves the field out.
type Record [][4]any

// Object returns the fields with a key, for a JSON document.
func (r Record) Object() (o Object) {
	for _, f := range r {
		if f[0] != "" {
			o = append(o, [2]any{f[0], f[2]})
		}
	}
	return o
}

// Facts returns the fields with a name.
func (r Record) Facts() (list document.Facts) {
	for _, f := range r {
		if name, ok := f[1].(string); ok && name != "" {
			list = append(list, [2]string{name, Shown(cmp.Or(f[3], f[2]))})
		}
	}
	return list
}
