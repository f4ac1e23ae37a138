package export

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/axis"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// few is a cloud of four modes: the first beaten, the second measured.
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
		of.Standings = append(of.Standings, optimize.Limit{PowerW: 30}.Stand(p, []int{0, 2, 0, 0}[i]))
	}
	return NewCloud("a < b & c", of, optimize.Time, optimize.Power, []int{1, 2, 3})
}

func TestTheFrontInCSVAndJSONTellsMeasuredFromPredicted(t *testing.T) {
	t.Parallel()
	c := few()
	var b strings.Builder
	if err := c.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// ascending in power: 4 cores, 3 cores, and the measured 2 cores without a band
	want := [][]string{strings.Split("cores,cpu_khz,gpu_hz,mem_hz,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,"+
		"power_hi_w,energy_j,measured,n,state,chance_over,virtual", ","),
		{"4", "1000000", "1000000000", "2000000000", "400", "360", "440", "15", "14", "16", "6", "false", "0", "sure",
			"0.0001", "true"},
		{"3", "1000000", "1000000000", "2000000000", "200", "180", "220", "20", "19", "21", "4", "false", "0", "likely",
			"0.0679", "true"},
		{"2", "1000000", "1000000000", "2000000000", "110", "", "", "42", "", "", "4.62", "true", "2", "over", "",
			"true"}}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("got %v, want %v", rows, want)
	}
	text, err := json.Marshal(c.Listed()[2])
	wanted := `{"cores":2,"cpu_khz":1000000,"gpu_hz":1000000000,"mem_hz":2000000000,"time_ms":110,"time_lo_ms":null,` +
		`"time_hi_ms":null,"power_w":42,"power_lo_w":null,"power_hi_w":null,"energy_j":4.62,"measured":true,"n":2,"state":"over",` +
		`"chance_over":null,"virtual":true}`
	if err != nil || string(text) != wanted {
		t.Errorf("got %s (%v), want %s", text, err, wanted)
	}
}

// elements counts those of an SVG by name and gives all its text; the error is
// that of a document that is not well formed.
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

func TestTheDrawingHoldsWhatTheScreenShows(t *testing.T) {
	t.Parallel()
	c := few()
	c.Marks = []Mark{{At: 3, Name: "15W & less"}}
	c.Limit = optimize.Limit{PowerW: 30, TimeMS: 300}
	count, text, err := elements(c.SVG())
	if err != nil {
		t.Fatal(err)
	}
	// three predicted modes, a ring for each of the two on the front, one measured, three of the legend
	if count["circle"] != 9 || count["polyline"] != 1 {
		t.Errorf("got %d circles and %d lines, want 9 and 1", count["circle"], count["polyline"])
	}
	for _, want := range []string{"a < b & c", "15W & less", "limit 30 W", "limit 300 ms", "time per minibatch, ms",
		"power, W", "2c/1.00C/1.00G/2.00M: 110 ms, 42 W"} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing lacks %q: %s", want, text)
		}
	}
	c.Across, c.Up = &axis.Scale{Lo: 150, Hi: 250}, &axis.Scale{Lo: 15, Hi: 25}
	if count, _, _ := elements(c.SVG()); count["circle"] != 2+3 { // one mode: its dot and its ring
		t.Errorf("zoomed in on one mode: %d circles, want 2 and the legend's 3", count["circle"])
	}
}

func TestPowerAgainstEnergyIsAFrontToo(t *testing.T) {
	t.Parallel()
	c := few()
	c = NewCloud(c.Title, c.Points, optimize.Power, optimize.Energy, []int{3, 2}) // 6 J at 15 W, 4 J at 20 W
	if _, text, err := elements(c.SVG()); err != nil || !strings.Contains(text, "energy per minibatch, J") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestMadValuesAreLeftOutOfTheDrawing(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1} {
		preds := []learn.Prediction{{Measured: tegra.Measured{TimeMS: v, PowerW: 3}},
			{Measured: tegra.Measured{TimeMS: 3, PowerW: v}}}
		of := Points{Known: preds, Standings: make([]optimize.Standing, 2)}
		c := NewCloud("", of, optimize.Time, optimize.Power, nil)
		svg := c.SVG()
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%g is drawn: %s", v, svg)
		}
	}
}
