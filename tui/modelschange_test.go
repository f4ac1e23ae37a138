package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tui/session/models"
)

func TestModelsPageFollowsWhatOtherProgramsKeep(t *testing.T) {
	t.Parallel()
	d := drive(t, func(_ *fakeHost, deps *deps) {
		deps.campaigns.Held = func() []record.Running { return nil }
	})
	d.press("4")
	m, err := learn.Fit(t.Context(), d.board.Samples(), learn.Options{Space: d.r.sh.Device.Space})
	must.NoError(t, err)
	_, err = d.board.SaveModel("of-another", m)
	must.NoError(t, err)
	listed := func() bool { return strings.Contains(d.screen(), "of-another") }
	if listed() {
		t.Error("the list was read while nothing has changed")
	}
	dir := filepath.Join(d.board.Dir, "models")
	must.NoError(t, os.MkdirAll(dir, 0o755))
	d.until("the look before has ended", func() bool { return !d.r.sh.looking })
	d.now = d.now.Add(4 * followEvery)
	d.send(d.reading())
	d.until("the model is listed", listed)
}

// After a restart Front opens with the newest kept model, and never replaces a shown one.
func TestFrontOpensWithTheModelKeptLast(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := must.Get(learn.Fit(t.Context(), d.board.Samples(), learn.Options{Space: d.r.sh.Device.Space, SkipCV: true,
		Provenance: learn.Provenance{Workload: "bert"}}))(t)
	d.r.sh.kept = []models.Info{{Name: "broken"}, {Name: "of-bert", Model: m}}
	d.press("4")
	if d.r.sh.Outlook != nil {
		t.Fatal("another page loads it")
	}
	d.press("5")
	d.sees("The model is being read.")
	d.until("it is loaded", func() bool { return d.r.sh.Outlook != nil })
	d.sees("bert", "best within the limit")
	shown := d.r.sh.Outlook
	d.r.sh.kept = []models.Info{{Name: "another", Model: m}}
	d.press("1", "5")
	if d.settle(); d.r.sh.Outlook != shown {
		t.Error("it is replaced")
	}
	d = drive(t)
	d.r.sh.kept = []models.Info{{Name: "of-bert", Model: m}}
	d.press("6")
	d.sees("its model is being read")
	d.until("Modes loads it too", func() bool { return d.r.sh.Outlook != nil })
}
