package export

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// few returns a cloud of four modes: the first is dominated, the second measured.
func few() *Cloud {
	var preds []learn.Prediction
	for i, at := range [][2]float64{{120, 50}, {100, 40}, {200, 20}, {400, 15}} {
		m := tegra.Mode{Cores: i + 1, CPU: tegra.GHz, GPU: tegra.GHz, EMC: 2 * tegra.GHz}
		preds = append(preds, learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: at[0],
			PowerW: at[1]}, TimeLoMS: at[0] * 0.9, TimeHiMS: at[0] * 1.1, PowerLoW: at[1] - 1, PowerHiW: at[1] + 1,
			LnPowerSD: []float64{0.01, 0.01, math.Log(1.5) / 1.5, 0.01}[i]})
	}
	preds[1] = optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: preds[1].Mode}, TimeMS: 110,
		PowerW: 42})
	of := Points{Known: preds, Virtual: true}
	for i, p := range preds {
		of.Standings = append(of.Standings, standing.Stand(metric.Watts(30), p, []int{0, 2, 0, 0}[i]))
	}
	return NewCloud(of, []int{1, 2, 3})
}

func TestFrontInCSVAndJSONTellsMeasuredFromPredicted(t *testing.T) {
	t.Parallel()
	c := few()
	var b strings.Builder
	must.NoError(t, c.Columns().CSV(&b, c.Front))
	rows := must.Get(csv.NewReader(strings.NewReader(b.String())).ReadAll())(t)
	// ascending in power: 4 cores, 3 cores, and the measured 2 cores without a band
	want := [][]string{strings.Split("cores,cpu_khz,gpu_hz,mem_hz,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,"+
		"power_hi_w,energy_j,measured,n,state,chance_over,virtual", ","),
		{"4", "1000000", "1000000000", "2000000000", "400", "360", "440", "15", "14", "16", "6", "false", "0", "sure",
			"0.0001", "true"},
		{"3", "1000000", "1000000000", "2000000000", "200", "180", "220", "20", "19", "21", "4", "false", "0", "likely",
			"0.0679", "true"},
		{"2", "1000000", "1000000000", "2000000000", "110", "", "", "42", "", "", "4.62", "true", "2", "over", "1",
			"true"}}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("got %v, want %v", rows, want)
	}
	text, err := json.Marshal(c.Columns().Objects(c.Front)[2])
	wanted := `{"cores":2,"cpu_khz":1000000,"gpu_hz":1000000000,"mem_hz":2000000000,"time_ms":110,"time_lo_ms":null,` +
		`"time_hi_ms":null,"power_w":42,"power_lo_w":null,"power_hi_w":null,"energy_j":4.62,"measured":true,"n":2,"state":"over",` +
		`"chance_over":1,"virtual":true}`
	must.NoError(t, err)
	must.Equal(t, string(text), wanted)
}

// elements counts the elements of an SVG by name and returns all its text; the error says why it is not well formed.
func elements(svg string) (count map[string]int, text string, err error) {
	count = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		switch tok, err := d.Token(); tok := tok.(type) {
		case xml.StartElement:
			count[tok.Name.Local]++
		case xml.CharData:
			text += string(tok)
		case nil:
			if err == io.EOF {
				return count, text, nil
			}
			return count, text, err
		}
	}
}

// plane returns a figure of two panels with everything that a plane can hold.
func plane() figure.Figure {
	curve := figure.Series{Name: "predicted", Shape: figure.Line, Bounds: "its band", Points: []figure.Point{
		figure.At(1, 120).Within(110, 130).Of("a"), figure.At(2, 100).Within(95, math.NaN()),
		figure.At(3, math.Inf(1))}}
	seen := figure.Series{Name: "measured", Shape: figure.Marks, Points: []figure.Point{figure.At(2, 105).Of("m < n")}}
	return figure.Figure{Kind: "curves", Title: "a < b & c", Virtual: true, Notes: []string{"held: x"},
		X: figure.Axis{Key: "gpu_hz", Name: "GPU", Unit: "GHz", Per: 1e9},
		Panels: []figure.Panel{
			{Axis: figure.Axis{Key: "time_ms", Name: "time", Unit: "ms"}, Series: []figure.Series{curve, seen},
				Limits: []figure.Limit{{At: 110, Name: "limit 110 ms"}, {At: 1.5, Name: "limit 1.5", Across: true}},
				Marks:  []figure.Mark{{Point: figure.At(1, 120), Name: "MAXN & more"}}},
			{Axis: figure.Axis{Key: "power_w", Name: "power", Unit: "W"}, Series: []figure.Series{
				{Name: "predicted", Shape: figure.Rings, Points: []figure.Point{figure.At(1, 30).Of("a"),
					figure.At(2, 20)}}}},
		}}
}

// rowed returns a figure of rows, heated a heat map.
func rowed() figure.Figure {
	box := figure.In(1, 2).Within(0, 4)
	box.Q1, box.Q3 = 1, 3
	rows := []string{"one & only", "two"}
	return figure.Figure{Kind: "bars", Rows: rows, RowKey: "mode", Panels: []figure.Panel{{
		Axis: figure.Axis{Key: "time_ms", Name: "time", Unit: "ms"}, Series: []figure.Series{
			{Name: "measured", Shape: figure.Bars, Points: []figure.Point{figure.In(0, 3), figure.In(1, math.NaN())}},
			{Name: "predicted", Shape: figure.Ticks, Points: []figure.Point{figure.In(0, 2).Within(1, 4)}},
			{Name: "quartiles", Shape: figure.Boxes, Points: []figure.Point{box}}}}}}
}

func heated() figure.Figure {
	return figure.Figure{Kind: "heat", X: figure.Axis{Key: "cpu_khz", Name: "CPU", Per: 1e6},
		Y: figure.Axis{Key: "cores", Name: "cores"}, Panels: []figure.Panel{{
			Axis: figure.Axis{Key: "energy_j", Name: "energy", Unit: "J"}, Series: []figure.Series{
				{Name: "predicted", Shape: figure.Cells, Points: []figure.Point{figure.Cell(1, 2, 5),
					figure.Cell(2, 2, 4)}},
				{Name: "measured", Shape: figure.Cells, Points: []figure.Point{figure.Cell(1, 4, 3)}}},
			Marks: []figure.Mark{{Point: figure.Cell(1, 4, 3), Name: "least"}}}}}
}

func TestFigureSVGHoldsWhatTheScreenShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f     figure.Figure
		count map[string]int
		words []string
	}{
		// a dot in the legend, a measured one, two rings; a line each, one band
		{plane(), map[string]int{"circle": 4, "polyline": 2, "polygon": 0}, []string{"a < b & c", "MAXN & more",
			"limit 110 ms", "limit 1.5", "GPU, GHz", "time, ms", "power, W", "m < n: 2 GHz, 105 ms", "held: x",
			"predicted, in its band"}},
		// ground, a bar and a box in the legend, a bar, a box
		{rowed(), map[string]int{"rect": 5}, []string{"one & only", "two", "time, ms", "3"}},
		// background, five shades, three cells; one measured and its legend
		{heated(), map[string]int{"rect": 9, "circle": 2}, []string{"least", "CPU", "cores", "≤5", "energy, J"}},
		{figure.Figure{Title: "empty", Lacks: "nothing was <measured>"}, map[string]int{"rect": 1, "circle": 0},
			[]string{"empty", "nothing was <measured>"}},
	} {
		svg := FigureSVG(c.f)
		count, text, err := elements(svg)
		if err != nil || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Fatalf("%s: %v: %s", c.f.Kind, err, svg)
		}
		for name, want := range c.count {
			must.Equal(t, count[name], want, c.f.Kind, name)
		}
		must.Contain(t, text, c.words...)
	}
}

func TestFigureCSVAndJSONHoldTheSamePoints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    figure.Figure
		want string
	}{
		{plane(), "series,gpu_hz,time_ms,time_lo_ms,time_hi_ms,power_w,mode,virtual\n" +
			"predicted,1000000000,120,110,130,30,a,true\n" +
			"predicted,2000000000,100,95,,20,,true\n" +
			"predicted,3000000000,,,,,,true\n" +
			"measured,2000000000,105,,,,m < n,true\n"},
		{rowed(), "series,mode,time_ms,time_lo_ms,time_hi_ms,time_q1_ms,time_q3_ms,virtual\n" +
			"measured,one & only,3,,,,,false\nmeasured,two,,,,,,false\npredicted,one & only,2,1,4,,,false\n" +
			"quartiles,two,2,0,4,1,3,false\n"},
		{heated(), "series,cpu_khz,cores,energy_j,virtual\npredicted,1000000,2,5,false\n" +
			"predicted,2000000,2,4,false\nmeasured,1000000,4,3,false\n"},
	} {
		var list, doc strings.Builder
		must.NoError(t, errors.Join(FigureCSV(&list, c.f), FigureJSON(&doc, c.f)))
		must.Equal(t, list.String(), c.want, c.f.Kind)
		var got struct {
			Kind    string
			Virtual bool
			Lacks   *string
			Points  []map[string]any
		}
		must.NoError(t, json.Unmarshal([]byte(doc.String()), &got))
		rows, _ := csv.NewReader(strings.NewReader(c.want)).ReadAll()
		if got.Kind != c.f.Kind || got.Virtual != c.f.Virtual || got.Lacks != nil || len(got.Points) != len(rows)-1 {
			t.Fatalf("got %+v", got)
		}
		for i, p := range got.Points {
			for at, name := range rows[0][:len(rows[0])-1] {
				text := ""
				switch v := p[name].(type) {
				case string:
					text = v
				case float64:
					text = report.Number(v)
				}
				must.Equal(t, text, rows[i+1][at], c.f.Kind, i, name)
			}
		}
	}
}

// What a foreign folder says neither orders the terminal that shows a page nor changes its writing direction.
func TestDocumentHasNoControlCharacters(t *testing.T) {
	const hostile = "a\x1b]52;c;eA==\x07\u009b31m\u202eb"
	d := document.Document{Title: hostile, About: hostile, Mark: hostile, Parts: []document.Part{
		document.Text(hostile), document.Code(hostile), document.Facts{{hostile, hostile}},
		document.Table{Head: []string{hostile}, Rows: [][]string{{hostile}}},
	}}
	for name, text := range map[string]string{"HTML": DocumentHTML(d), "Markdown": DocumentMarkdown(d)} {
		if i := strings.IndexAny(text, "\x1b\x07\u009b\u202e"); i >= 0 {
			t.Errorf("%s: %q", name, text[max(0, i-20):min(len(text), i+20)])
		}
	}
}
