// Package fields describes the values that a request can ask for: names, bounds, defaults, choices, and what they mean.
// A field has the name of the request's member that keeps it.
//
//	fields.txt ──► Field ──► flag of a command, question of a dialog
package fields

import (
	_ "embed" // the table
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"jtune/internal/usage"
)

// Field is a value of a request.
type Field struct {
	Name, Default, Help string // Default is a text; "": that of the request
	Least, Most         string // bounds of a number or time; "": none
	Choices             []Choice
	Names               string // that complete a value: a list of completions, or words between |; "": none
	Commas, Hidden      bool
	Mention             usage.Field // how messages mention it; "": no message does
}

// Choice is a value that a field can take.
type Choice struct {
	Value, Means string // Means is for screens; "": they do not offer it
}

func (c Choice) String() string {
	if c.Value == "" {
		return c.Means
	}
	return c.Value + ": " + c.Means
}

// Above is the lower bound of values that are more than 0.
const Above = ">0"

//go:embed fields.txt
var table string

// parts are the fields of the table by the part that they are in.
var parts = sync.OnceValue(func() map[string][]Field {
	out, now := map[string][]Field{}, ""
	for _, line := range Lines(table) {
		switch text, ok := strings.CutPrefix(line, "  "); {
		case !ok:
			now = line
		case text[0] == '=':
			of := out[now]
			value, means, _ := strings.Cut(strings.TrimSpace(text[1:]), ": ")
			of[len(of)-1].Choices = append(of[len(of)-1].Choices, Choice{value, means})
		default:
			out[now] = append(out[now], Read(text))
		}
	}
	return out
})

// Of returns the fields of a part of the table.
func Of(part string) []Field { return slices.Clone(parts()[part]) }

// In returns a field of a part of the table, which has it.
func In(part, name string) Field {
	list := parts()[part]
	return list[slices.IndexFunc(list, func(f Field) bool { return f.Name == name })]
}

// Help describes the fields of a part that screens ask for.
func Help(part string) (list []string) {
	for _, f := range parts()[part] {
		if f.Offered() != nil {
			list = append(list, f.Name+": "+f.Help+".")
		}
	}
	return list
}

// Lines returns the lines of a table without comments: a line that is indented more continues the one before.
func Lines(table string) (lines []string) {
	for line := range strings.Lines(table) {
		if text := strings.TrimSpace(line); strings.HasPrefix(line, "   ") {
			lines[len(lines)-1] += " " + text
		} else if text != "" && text[0] != '#' {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// Read reads the line of a field; its choices between | have no meaning for screens.
func Read(line string) (f Field) {
	head, help, _ := strings.Cut(line, ":")
	head, mention, _ := strings.Cut(head, "“")
	f.Mention, f.Help = usage.Field(strings.TrimSuffix(mention, "”")), strings.TrimSpace(help)
	words := strings.Fields(head)
	f.Name, f.Default, _ = strings.Cut(words[0], "=")
	for _, word := range words[1:] {
		switch least, most, bounds := strings.Cut(word, ".."); {
		case bounds:
			f.Least, f.Most = least, most
		case word[0] == '<':
			f.Names = strings.Trim(word, "<>")
		case strings.Contains(word, "|"):
			for value := range strings.SplitSeq(word, "|") {
				f.Choices = append(f.Choices, Choice{Value: value})
			}
		case word == "commas":
			f.Commas = true
		case word == "hidden":
			f.Hidden = true
		}
	}
	return f
}

// Values returns the values of the choices that a text can name.
func (f Field) Values() (list []string) {
	for _, c := range f.Choices {
		if c.Value != "" {
			list = append(list, c.Value)
		}
	}
	return list
}

// Offered returns the choices that a screen offers.
func (f Field) Offered() []Choice {
	return slices.DeleteFunc(slices.Clone(f.Choices), func(c Choice) bool { return c.Means == "" })
}

// Wrong returns why a number or time is out of the field's bounds, or "".
func (f Field) Wrong(value string) string {
	if f.Least == "" {
		return ""
	}
	v, low, high := size(value), size(f.Least), size(f.Most)
	switch {
	case f.Least == Above && !(v > 0 && v <= math.MaxFloat64):
		return "must be positive"
	case (f.Least == Above || v >= low) && (f.Most == "" || v <= high):
		return ""
	case f.Most != "" && f.Least != Above:
		return "want " + f.Least + " to " + f.Most
	case f.Most != "":
		return "at most " + f.Most
	}
	return f.Least + " at least"
}

// size is the value of a number, or of a time in seconds; NaN if it is neither.
func size(text string) float64 {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds()
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return math.NaN()
}

// Place returns a pointer to the member of a request that has the field's name, after which a unit may follow; nil if
// none has.
func Place(name string, request ...any) any {
	named := func(member string) bool {
		member = strings.TrimSuffix(strings.TrimSuffix(member, "PerS"), "MS")
		return strings.EqualFold(member, strings.ReplaceAll(name, "-", ""))
	}
	for _, part := range request {
		if of := reflect.ValueOf(part).Elem().FieldByNameFunc(named); of.IsValid() && of.CanInterface() {
			return of.Addr().Interface()
		}
	}
	return nil
}
