package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tui/session/lab/claims"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/reproduce"
)

// The page of all studies has every published result that the program knows, each missed one with its reason, and every
// take-away. Its own values take minutes to compute.
func TestPageOfTheStudiesHasEveryPublishedResult(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout, "docs", "reference", "reproduce.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.NewReplacer("\\", "").Replace(string(text)) // Markdown escapes
	if strings.Contains(page, "quick") {
		t.Error("the page shows the quick form")
	}
	rows := map[string]string{}
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			rows[strings.TrimSpace(cells[1])] = line
		}
	}
	for _, f := range reproduce.Figures() {
		row := rows[f.ID]
		missed := strings.Contains(row, string(evidence.Outside)) || strings.Contains(row, "| near")
		if !strings.Contains(row, "| "+publishedText(f)+" |") ||
			missed && (f.Note == "" || !strings.Contains(row, f.Note)) {
			t.Errorf("%s, published %s, note %q: %s", f.ID, publishedText(f), f.Note, row)
		}
	}
	for _, c := range claims.Claims() {
		if rows[c.Sentence] == "" {
			t.Errorf("the take-away %s is not on the page", c.ID)
		}
	}
}

func TestReproduceWritesAStudyAsAPage(t *testing.T) {
	t.Parallel()
	page := jtune(t, "reproduce", "spaces", "--md").done(t).out
	for _, want := range []string{"# The papers' studies, run again\n", "reproduce spaces --md. VIRTUAL",
		"16 published results: 15 hold", "| s1-space-orin | 12 x 29 x 13 x 4 | 18096 modes | 18096 modes |",
		"| OUTSIDE VIRTUAL | 15 x 12 values are 180 pairs"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "Take-aways") {
		t.Error("one study has take-aways")
	}
	if c := (&reproduceCmd{app: &app{}}); c.check() != nil || c.Studies != nil {
		t.Errorf("without a name: %v of %v, want all", c.check(), c.Studies)
	}
	jtune(t, "reproduce", "spaces", "--md", "--json").fails(t, exitUsage, "--md")
	jtune(t, "reproduce", "--claims", "--md").fails(t, exitUsage, "--md")
}
