package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// plotModel creates a small campaign and a model of it.
func plotModel(t *testing.T) (campaign, model string) {
	t.Helper()
	dir := t.TempDir()
	campaign, model = filepath.Join(dir, "c"), filepath.Join(dir, "lstm.model")
	board := []string{"--device", "virtual:orin-nano", "--speed", "max", "--data-dir", dir}
	jtune(t, append([]string{"profile", "lstm", "--sample", "14", "--out", campaign}, board...)...).done(t)
	jtune(t, "fit", "--samples", campaign, "--out", model).done(t)
	return campaign, model
}

func TestPlotDrawsEveryKindInEveryForm(t *testing.T) {
	computes(t)
	campaign, model := plotModel(t)
	for _, k := range plotKinds {
		args := []string{"plot", k.name, "--model", model}
		if k.name == "violin" { // a model stores only medians
			jtune(t, args...).fails(t, exitUsage, "--samples")
			args = []string{"plot", k.name, "--samples", campaign}
		}
		text := jtune(t, append(args, "--size", "60x20")...).done(t).out
		if !strings.Contains(text, "VIRTUAL") || strings.Count(text, "\n") > 20 {
			t.Errorf("%s: not marked, or more than 20 lines:\n%s", k.name, text)
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > 61 {
				t.Errorf("%s: a line is wider than 60 columns: %q", k.name, line)
			}
		}
		if ascii := jtune(t, append(args, "--glyphs", "ascii")...).done(t).out; strings.ContainsFunc(ascii,
			func(r rune) bool { return r > 0x7e || r == '?' }) {
			t.Errorf("%s: not plain ASCII:\n%s", k.name, ascii)
		}
		var doc struct {
			Kind    string
			Virtual bool
			Lacks   *string
			Points  []map[string]any
		}
		must.NoError(t, json.Unmarshal([]byte(jtune(t, append(args, "--json")...).done(t).out), &doc))
		lines := strings.Count(jtune(t, append(args, "--csv")...).done(t).out, "\n")
		switch {
		case doc.Kind != k.name || !doc.Virtual || lines != len(doc.Points)+1:
			t.Errorf("%s: %d lines of CSV, JSON of kind %q, virtual %v, with %d points", k.name, lines, doc.Kind,
				doc.Virtual, len(doc.Points))
		case k.name == "box" || k.name == "loss": // each mode was measured once, and the model has no network
			if doc.Lacks == nil || !strings.Contains(strings.ReplaceAll(text, "\n", " "), *doc.Lacks) {
				t.Errorf("%s: does not say what is lacking:\n%s", k.name, text)
			}
		case doc.Lacks != nil || len(doc.Points) == 0:
			t.Errorf("%s: lacks %v, %d points", k.name, doc.Lacks, len(doc.Points))
		}
		svg := filepath.Join(t.TempDir(), "x.svg")
		jtune(t, append(args, "--out", svg)...).done(t)
		must.Contain(t, string(must.Read(t, svg)), "VIRTUAL")
	}
	for words, args := range map[string][]string{
		"measured":        {"front", "--samples", campaign},
		"other values to": {"curves", "--samples", campaign, "--over", "cores"},
		"more than once":  {"box", "--samples", campaign},
	} {
		must.Contain(t, jtune(t, append([]string{"plot"}, args...)...).done(t).out, words)
	}
}
