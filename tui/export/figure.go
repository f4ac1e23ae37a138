package export

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
)

// figureTable holds the points of a figure as rows: a point in several panels is one row.
type figureTable struct {
	head []string
	rows []map[string]any // by column; absent values have no entry
}

func tableOf(f figure.Figure) figureTable {
	t := figureTable{head: []string{"series"}}
	column := func(name string) {
		if name != "" && !slices.Contains(t.head, name) {
			t.head = append(t.head, name)
		}
	}
	column(f.RowKey)
	column(f.X.Key)
	column(f.Y.Key)
	type key struct {
		series, place string
		nth           int
	}
	at := map[key]map[string]any{}
	named := false
	for _, p := range f.Panels {
		column(p.Axis.Key)
		for _, s := range p.Series {
			seen := map[string]int{}
			for _, q := range s.Points {
				place := report.Number(q.X) + " " + report.Number(q.Y) + " " + strconv.Itoa(q.Row) + " " + q.Name
				k := key{s.Name, place, seen[place]}
				seen[place]++
				row := at[k]
				if row == nil {
					row = map[string]any{"series": s.Name}
					at[k], t.rows = row, append(t.rows, row)
				}
				set := func(a figure.Axis, name string, v float64) {
					if !axis.Finite(v) || name == "" {
						return
					}
					if a.Per > 0 {
						v *= a.Per
					}
					column(name)
					row[name] = v
				}
				if q.Row >= 0 && q.Row < len(f.Rows) {
					row[f.RowKey] = f.Rows[q.Row]
				}
				if q.Name != "" {
					row["mode"], named = q.Name, true
				}
				set(f.X, f.X.Key, q.X)
				set(f.Y, f.Y.Key, q.Y)
				set(p.Axis, p.Axis.Key, q.V)
				set(p.Axis, p.Axis.KeyOf("lo"), q.Lo)
				set(p.Axis, p.Axis.KeyOf("hi"), q.Hi)
				set(p.Axis, p.Axis.KeyOf("q1"), q.Q1)
				set(p.Axis, p.Axis.KeyOf("q3"), q.Q3)
			}
		}
	}
	if named {
		column("mode")
	}
	return t
}

// FigureCSV writes the points of a figure; absent values are empty.
func FigureCSV(to io.Writer, f figure.Figure) error {
	type row = map[string]any
	t, columns := tableOf(f), report.Table[row]{}
	for _, name := range t.head {
		columns = append(columns, report.Column[row]{Key: name,
			Of: func(x row) any { return cmp.Or[any](x[name], "") }})
	}
	return append(columns, virtualColumn[row](f.Virtual)...).CSV(to, t.rows)
}

// FigureJSON writes a figure: its points with the columns of FigureCSV; absent values are null.
func FigureJSON(to io.Writer, f figure.Figure) error {
	marks, points, limits := []map[string]any{}, []map[string]any{}, map[string]float64{}
	if f.Lacks == "" {
		t := tableOf(f)
		for _, row := range t.rows {
			for _, name := range t.head {
				if v, there := row[name]; !there {
					row[name] = nil
				} else if number, ok := v.(float64); ok {
					row[name], _ = strconv.ParseFloat(report.Number(number), 64)
				}
			}
			points = append(points, row)
		}
	}
	for _, p := range f.Panels {
		for _, l := range p.Limits {
			key := p.Axis.Key
			if l.Across {
				key = f.X.Key
			}
			limits[key] = l.At
		}
		for _, m := range p.Marks {
			mark := map[string]any{"name": m.Name}
			for _, c := range []struct {
				axis figure.Axis
				v    float64
			}{{f.X, m.X}, {f.Y, m.Y}, {p.Axis, m.V}} {
				if v := tegra.Finite(c.v); c.axis.Key != "" && v.OK {
					mark[c.axis.Key] = v.V * max(c.axis.Per, 1)
				}
			}
			if m.Point.Name != "" {
				mark["mode"] = m.Point.Name
			}
			marks = append(marks, mark)
		}
	}
	return WriteJSON(to, report.Object{{"kind", f.Kind}, {"title", f.Title}, {"virtual", f.Virtual},
		{"notes", append([]string{}, f.Notes...)}, {"lacks", text.Optional(f.Lacks)}, // why there are no points
		{"marks", marks}, {"points", points}, {"limits", limits}})
}
