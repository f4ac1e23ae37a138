package profile

import (
	"strings"
	"testing"

	"jtune/tui/page/pagetest"
	"jtune/tui/session"
)

func TestProfileShowsTheBatchSizeOfEachRow(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, session.Tuning)
	for i := range j.Rows {
		j.Rows[i].Batch = []int{8, 32}[i%2]
	}
	d.State.Tasks.Own = j
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1])
		d.Sees(" bs ", "  8 ", " 32 ")
	}
	if key, again := p.again(); again == nil || again().Kind != session.Redoing || key.ID != "redo" {
		t.Errorf("%q does what failed again", key.ID)
	}
	j.Rows = pagetest.Task(d.Board, session.Tuning).Rows
	if strings.Contains(d.Screen(), " bs ") {
		t.Error("a column of sizes where there is one")
	}
}
