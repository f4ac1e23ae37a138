package tui_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

// cardBox is a card on a screen of 80 columns: its frame and what is in it.
var cardBox = regexp.MustCompile(`(?s)┌─ the answer ─[^\n]*\n.*?\n└[^\n]*`)

// README.md shows the card of the search that the tutorial makes, as the screens open it from the list of campaigns.
// go test ./tui -run ReadmeShows -update renews it.
func TestReadmeShowsTheCardOfTheTutorialsSearch(t *testing.T) {
	t.Parallel()
	const path = "../README.md"
	page := must.Read(t, path)
	tutorial := must.Read(t, "../docs/tutorial.md")
	must.Contain(t, string(tutorial), "jtune tune resnet18 --power-limit 30 --speed max\n")
	s, _ := onBoard(t, "agx-orin", "resnet18", "--power-limit", "30")
	s.tmux("resize-window", "-x", "80", "-y", "24")
	s.press("3")
	s.sees("30 W →", "finished")
	s.press("Enter")
	bottom := "└" + strings.Repeat("─", 78) + "┘" // drawn last: a screen may be caught half drawn
	got := cardBox.FindString(s.sees("the answer", "done: ", bottom))
	want := cardBox.FindString(string(page))
	if f := flag.Lookup("update"); f.Value.String() == "true" && got != "" {
		must.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(page), want, got, 1)), 0o644))
		return
	}
	if got != want || got == "" {
		t.Errorf("the card is\n%s\nREADME.md shows\n%s", got, want)
	}
}
