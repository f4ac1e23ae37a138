package dialog

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/page/pagetest"
)

// tuneForm is the questions before tuning as something that is driven.
type tuneForm struct{ *Tune }

// Update is pagetest.Driven's: a form takes what is pasted.
func (f tuneForm) Update(msg tea.Msg) page.Intent {
	if paste, ok := msg.(tea.PasteMsg); ok {
		f.Paste(paste)
	}
	return nil
}

func driveTune(t *testing.T, change func(s *page.State)) (*pagetest.Driver, tuneForm) {
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	if change != nil {
		change(d.State)
	}
	d.Press("down", "down", "down")
	return d, f
}

func TestTuneChoosesBatchSizes(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Sees("16 samples, its own", "fastest within")
	if f.batches() != nil {
		t.Errorf("by itself it chooses among %v", f.batches())
	}
	d.Press("right")
	d.Sees("choose among 8 16 32", "per sample")
	d.Press("right")
	d.Sees("choose among 4 8 16 32 64")
	for _, k := range "32,4" {
		d.Press(string(k))
	}
	if got := f.batches(); !slices.Equal(got, []int{4, 32}) {
		t.Errorf("32,4 is taken for %v", got)
	}
	d.Press("backspace", "backspace")
	if d.Sees("two sizes at least"); f.batches() != nil {
		t.Errorf("one size is taken for %v", f.batches())
	}
	d.Press("right") // back to its own
	d.Sees("16 samples, its own")

	// several sizes know coverage of this limit alone
	d.Press("up", "right")
	d.Sees("whole front: about")
	d.Press("down", "right")
	d.Sees("this limit: at most")
	d.Press("up", "right")
	if d.Sees("this limit: at most"); f.choice[fieldCoverage] != 0 {
		t.Error("the front effort cannot be had with several sizes")
	}
}

func TestTuneSaysWhereBatchSizesCannotBeChosen(t *testing.T) {
	d, f := driveTune(t, func(s *page.State) {
		s.Work.Fixed = map[string]string{"resnet18": "its command never reads JTUNE_BATCH"}
	})
	d.Press("right", "8")
	if d.Sees("16 samples: its command never reads JTUNE_BATCH"); f.batches() != nil {
		t.Errorf("sizes %v for a job with a fixed one", f.batches())
	}
	d, f = driveTune(t, func(s *page.State) { s.Device.Board.Replay, s.Work.Sizes = "file.csv", []int{1, 4, 16} })
	d.Sees("choose among 1 4 16")
	for _, k := range "4,8,16" {
		d.Press(string(k))
	}
	if got := f.batches(); !slices.Equal(got, []int{4, 16}) {
		t.Errorf("of a replay's sizes 4,8,16 takes %v", got)
	}
}

func TestTuneTakesAPastedListAndEditsItInPlace(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Send(tea.PasteMsg{Content: "8, 16, 64 samples"})
	d.Sees("8,16,64_")
	d.Press("left", "backspace", "3")
	if got := f.batches(); !slices.Equal(got, []int{8, 16, 34}) {
		t.Errorf("batch sizes %v, want 8 16 34", got)
	}
	d.Press("end", "backspace", "2")
	d.Sees("8,16,32_")
}
