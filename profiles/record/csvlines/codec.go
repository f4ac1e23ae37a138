package csvlines

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
)

// Codec prints and reads the lines of a file with certain columns as values of T. A field of T names its column, or a
// struct the beginning of the names of its fields' columns:
//
//	Span  time.Duration `csv:"span_s"`       // always in seconds
//	CPU   tegra.Freq    `csv:"cpu_khz,1000"` // in units of 1000
//	T     float64       `csv:"t_s,.3"`       // with three decimals
//	Drop  *Drop         `csv:"drop_"`        // nil: its columns are empty; so are those of an absent tegra.Val
//
// Other columns belong to T if it is a Named, else they are empty or ignored. Fields without a column or a tag are left
// out.
type Codec[T any] struct {
	Columns []string
	fields  []codecField
	others  []int // indices of the columns without a field
}

// Named is a row with columns whose names depend on the board.
type Named interface {
	// Column returns the value of such a column, absent where the row has none; nil if the name is of another kind.
	Column(name string) Form
}

// codecField is a field of T.
type codecField struct {
	name     string
	path     []int // of indices; inVal steps into a tegra.Val
	unit     int64 // of a whole number
	decimals int   // of another; -1: as many as it has
	optional bool  // may be empty
	column   int   // its index; -1: the file lacks it
}

const inVal = -1

// NewCodec returns the codec of a file with these columns.
func NewCodec[T any](columns []string) Codec[T] {
	c := Codec[T]{Columns: columns}
	c.add(reflect.TypeFor[T](), "", nil)
	for i := range columns {
		if !slices.ContainsFunc(c.fields, func(f codecField) bool { return f.column == i }) {
			c.others = append(c.others, i)
		}
	}
	return c
}

// Names returns all columns of T, in the order of its fields.
func Names[T any]() (names []string) {
	for _, f := range NewCodec[T](nil).fields {
		names = append(names, f.name)
	}
	return names
}

// add adds the fields of a struct.
func (c *Codec[T]) add(of reflect.Type, before string, path []int) {
	for i := range of.NumField() {
		f := of.Field(i)
		tag, tagged := f.Tag.Lookup("csv")
		if !tagged {
			continue
		}
		name, unit, _ := strings.Cut(tag, ",")
		at, t := append(slices.Clone(path), i), f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		optional := isVal(t)
		if optional && isGroup(t.Field(0).Type) {
			at, t = append(at, inVal), t.Field(0).Type
		}
		if name = before + name; isGroup(t) {
			c.add(t, name, at)
			continue
		}
		decimals := -1
		if number, cut := strings.CutPrefix(unit, "."); cut {
			decimals, _ = strconv.Atoi(number)
		}
		n, _ := strconv.ParseInt(unit, 10, 64)
		optional = optional || t.Kind() == reflect.String || t.Kind() == reflect.Slice || isForm(t)
		c.fields = append(c.fields, codecField{name, at, max(1, n), decimals, optional,
			slices.Index(c.Columns, name)})
	}
}

// isVal reports whether a type is a tegra.Val.
func isVal(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(1).Name == "OK"
}

// isGroup reports whether a type has several columns.
func isGroup(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isVal(t) && !isForm(t) && t != reflect.TypeFor[time.Time]()
}

// Form is a value with a text of its own.
type Form interface {
	CSV() string
	SetCSV(text string) bool
}

// Signed is a value that may be negative, as a temperature, a current or its power; absent if it is not finite.
type Signed tegra.Val[float64]

// CSV implements Form.
func (v *Signed) CSV() string {
	if !v.OK {
		return ""
	}
	return strconv.FormatFloat(v.V, 'f', -1, 64)
}

// SetCSV implements Form.
func (v *Signed) SetCSV(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	*v = Signed(tegra.Finite(x))
	return err == nil
}

func isForm(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Form]()) }

// in returns the field in a value, creating the structs around it on request; false if they are absent.
func (f *codecField) in(v reflect.Value, create bool) (reflect.Value, bool) {
	for _, i := range f.path {
		switch {
		case i == inVal && create:
			v.Field(1).SetBool(true)
		case i == inVal && !v.Field(1).Bool():
			return v, false
		case v.Kind() == reflect.Pointer && v.IsNil() && create:
			v.Set(reflect.New(v.Type().Elem()))
		case v.Kind() == reflect.Pointer && v.IsNil():
			return v, false
		}
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.Field(max(0, i))
	}
	return v, true
}

// Print prints a line.
func (c *Codec[T]) Print(row *T) []string {
	line := make([]string, len(c.Columns))
	for i := range c.fields {
		f := &c.fields[i]
		if v, there := f.in(reflect.ValueOf(row).Elem(), false); there && f.column >= 0 {
			line[f.column] = f.printed(v)
		}
	}
	if of, is := any(row).(Named); is {
		for _, i := range c.others {
			if v := of.Column(c.Columns[i]); v != nil {
				line[i] = v.CSV()
			}
		}
	}
	return line
}

func (f *codecField) printed(v reflect.Value) string {
	switch x := v.Addr().Interface().(type) {
	case Form:
		return x.CSV()
	case *time.Duration:
		return strconv.FormatFloat(x.Seconds(), 'f', f.decimals, 64)
	case *time.Time:
		return x.UTC().Format(time.RFC3339)
	case *[]string:
		return text.OneLine(strings.Join(*x, "; "))
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int()/f.unit, 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', f.decimals, 64)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return text.OneLine(v.String())
	}
	if v.Field(1).Bool() { // of a tegra.Val
		return f.printed(v.Field(0))
	}
	return ""
}

// Read reads a line. It returns the columns that have no value, or none at all, although what they belong to is there.
func (c *Codec[T]) Read(line []string) (row T, empty []string, err error) {
	if len(line) != len(c.Columns) {
		return row, nil, fmt.Errorf("%d fields, want %d", len(line), len(c.Columns))
	}
	v := reflect.ValueOf(&row).Elem()
	for i := range c.fields {
		f := &c.fields[i]
		if f.column < 0 || line[f.column] == "" {
			continue
		}
		if at, _ := f.in(v, true); !taken(at, line[f.column], f.unit) {
			return row, nil, Unreadable(f.name)
		}
	}
	of, is := any(&row).(Named)
	for _, i := range c.others {
		if !is || line[i] == "" {
			continue
		}
		if v := of.Column(c.Columns[i]); v != nil && !v.SetCSV(line[i]) {
			return row, nil, Unreadable(c.Columns[i])
		}
	}
	return row, c.lacking(v, line), nil
}

// Whole reports whether the file has all columns that a line needs.
func (c *Codec[T]) Whole() bool {
	line := slices.Repeat([]string{"0"}, len(c.Columns))
	return c.lacking(reflect.New(reflect.TypeFor[T]()).Elem(), line) == nil
}

// lacking returns the columns without a value whose struct is there.
func (c *Codec[T]) lacking(v reflect.Value, line []string) (empty []string) {
	for i := range c.fields {
		f := &c.fields[i]
		if f.optional || f.column >= 0 && line[f.column] != "" {
			continue
		}
		if _, there := f.in(v, false); there {
			empty = append(empty, f.name)
		}
	}
	return empty
}

// Unreadable is the error of a column's value.
func Unreadable(column string) error { return fmt.Errorf("%s cannot be read", column) }

// Number reads a number that is finite and not negative.
func Number(value string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(value, 64)
	return n, err == nil && n >= 0 && n <= math.MaxFloat64
}

// taken reads a value that is not empty: a finite number that is not negative, a count or clock below 1e12, which none
// on a Jetson reaches.
func taken(to reflect.Value, value string, unit int64) bool {
	switch x := to.Addr().Interface().(type) {
	case Form:
		return x.SetCSV(value)
	case *time.Duration:
		s, err := strconv.ParseFloat(value, 64)
		*x = time.Duration(min(s, 1e9) * float64(time.Second))
		return err == nil && s >= 0
	case *time.Time:
		t, err := time.Parse(time.RFC3339, value)
		*x = t
		return err == nil
	case *[]string:
		*x = strings.Split(value, "; ")
		return true
	}
	switch to.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(value, 10, 64)
		to.SetInt(n * unit)
		return err == nil && n >= 0 && n <= 1e12
	case reflect.Float64:
		n, ok := Number(value)
		to.SetFloat(n)
		return ok
	case reflect.Bool:
		to.SetBool(value == "true")
		return true
	case reflect.String:
		to.SetString(value)
		return true
	}
	to.Field(1).SetBool(true)
	return taken(to.Field(0), value, unit)
}
