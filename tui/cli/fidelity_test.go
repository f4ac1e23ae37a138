package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/lab/evidence"
)

func TestFidelityShowsFiguresOfABoardAsDocuments(t *testing.T) {
	t.Parallel()
	r := jtune(t, "fidelity", "--device", "virtual:nano", "--only", "s2-base", "--json")
	var doc struct {
		Virtual bool
		Figures []struct {
			ID, Source, Device, Verdict, Kind string
			Simulated                         []float64
			Off                               *float64
		}
		Summary map[string]map[string]int
	}
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code != exitOK {
		t.Fatalf("%v, exit %d: %s", err, r.code, r.err)
	}
	if !doc.Virtual || len(doc.Figures) == 0 || doc.Summary["all"]["simulated"] == 0 {
		t.Errorf("virtual %v, %d figures, summary %v", doc.Virtual, len(doc.Figures), doc.Summary)
	}
	for _, f := range doc.Figures {
		if !strings.Contains(f.Device, "nano") || f.Source == "" || f.Verdict == "" ||
			(f.Off == nil) != (len(f.Simulated) == 0) {
			t.Errorf("%+v", f)
		}
	}
}

func TestFidelityPrintsATableThatNamesTheSimulation(t *testing.T) {
	t.Parallel()
	r := jtune(t, "fidelity", "--only", "s2-cache-agx", "--strict").done(t)
	must.Contain(t, r.out, "Simulated on virtual boards, not measured.", "s2-cache-agx-mobilenet-e0-stall")
	must.Lack(t, r.out, "s2-bs")
}

func TestFidelityOfABoardWithoutFiguresIsEmpty(t *testing.T) {
	t.Parallel()
	r := jtune(t, "fidelity", "--device", "virtual:tx2", "--json", "--strict")
	if r.code != exitOK || !strings.Contains(r.out, `"figures": []`) || !strings.Contains(r.err, "no published figure") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
}

// A published value is printed with its relation: a range, a bound or an approximate figure is not just the value.
func TestPublishedTextSaysItsRelation(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]evidence.Figure{
		"12.5 %":     {Relation: "eq", Value: 12.5, Unit: "%"},
		"~ 21 %":     {Relation: "approx", Value: 21, Unit: "%"},
		"< 20 s":     {Relation: "lt", Value: 20, Unit: "s"},
		"≤ 4.3":      {Relation: "le", Value: 4.3},
		"> 90 %":     {Relation: "gt", Value: 90, Unit: "%"},
		"≥ 3 modes":  {Relation: "ge", Value: 3, Unit: "modes"},
		"65 to 80 %": {Relation: "range", Value: 65, Most: 80, Unit: "%"},
	} {
		must.Equal(t, publishedText(f), want, f)
	}
}
