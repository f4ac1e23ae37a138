package dialog

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/tui/page"
	"jtune/tui/widget"
)

func TestEntriesBeginALineWithWhatTheyExplain(t *testing.T) {
	t.Parallel()
	list := []string{"Each row is a mode.", "W: what the module draws. It is read once a second.",
		"off: measured against that"}
	got := ansi.Strip(strings.Join(entries(list, 34), "\n"))
	want := "Each row is a mode.\nW: what the module draws. It is\n  read once a second.\noff: measured against that"
	must.Equal(t, got, want)
	for w := range 40 {
		for _, line := range entries(list, w) {
			if w > 12 && widget.Width(line) > w {
				t.Errorf("%d columns: %q", w, line)
			}
		}
	}
}

// Each part of the table of numbers has terms, and no line of it is lost.
func TestEntriesOfTheTableExplainTerms(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"live", "train", "profile", "models", "front", "modes", "tune", "campaign", "measure",
		"soak", "rename", "boards"} {
		list := page.Numbers(of)
		for _, entry := range list {
			if term, means, _ := strings.Cut(entry, ": "); means == "" || widget.Width(term) > longestTerm {
				t.Errorf("%s: %q explains no term", of, entry)
			}
		}
		if len(list) == 0 {
			t.Errorf("nothing explains the numbers of %s", of)
		}
	}
}
