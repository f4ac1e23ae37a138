package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tui/page"
)

// KeepWithin is how long an applied mode waits for "keep" before it is reverted.
const KeepWithin = 30 * time.Second

// Stage is the progress of setting a mode.
type Stage int

// Stages of setting a mode.
const (
	Idle    Stage = iota
	Asking        // the difference is shown
	Working       // the mode is being set
	Keeping       // the mode is set; the question whether to keep it is open
	Ending        // keep or revert is in progress
)

// Apply sets a mode on the device in steps: show the difference, apply, keep or revert. Without an answer it reverts.
type Apply struct {
	read      page.Reader
	stage     Stage
	ask       tegra.Request
	asked     *page.Asked // what the mode answers; nil: no job belongs to it
	reboot    bool        // the preset needs one
	from      tegra.Setup
	predicted *learn.Prediction
	measured  *tegra.Measured
	standing  standing.Standing // against the limit
	deadline  time.Time
	serial    int // of the current countdown; older ones are ignored
}

// NewApply returns an idle Apply for the board.
func NewApply(read page.Reader) *Apply { return &Apply{read: read} }

// Stage returns the progress.
func (f *Apply) Stage() Stage { return f.stage }

// Cancel returns to Idle: modes cannot be set.
func (f *Apply) Cancel() { f.stage = Idle }

// Ask shows the difference that a mode makes; nothing is written yet.
func (f *Apply) Ask(i page.Apply) page.Intent {
	switch why := f.read.MayWrite(); {
	case why != "":
		return page.Say("apply: not now, " + why)
	case f.stage == Keeping:
		return page.Sayf("apply: not now, first answer whether to keep %s", f.read.ModeText(f.ask.Mode))
	case f.stage != Idle:
		return nil
	case i.AtOnce && f.read.Rushed():
		return page.TooFast(f.read.Keys().AtOnce)
	}
	f.stage, f.ask, f.from = Asking, tegra.Request{Mode: i.Mode, Preset: i.Preset}, f.read.Found()
	f.reboot, f.predicted, f.measured, f.asked = false, nil, nil, i.Asked
	for _, p := range f.read.Presets() {
		if p.Mode == i.Mode && p.NeedsReboot {
			f.reboot, f.ask.Preset = true, tegra.Val[int]{}
		}
	}
	f.standing = f.read.Standing(i.Mode)
	about := f.read.Outlook().About(i.Mode)
	if !about.Fitted && about.Predicted.TimeMS > 0 {
		f.predicted = &about.Predicted
	}
	if about.Measured() {
		f.measured = &about.Reading.Measured
	}
	if i.AtOnce {
		return f.set()
	}
	return nil
}

// set applies the mode.
func (f *Apply) set() page.Intent {
	f.stage = Working
	return page.SetMode{Request: f.ask, Asked: f.asked}
}

// Acts lists what the keys do while the difference is shown or the countdown runs.
func (f *Apply) Acts() page.Acts {
	keys := f.read.Keys()
	switch f.stage {
	case Asking:
		leave := func() { f.stage = Idle }
		return page.Acts{
			page.On(keys.Apply.As("apply it"), f.set).Pressed(f.read),
			page.On(keys.Lock, func() { f.ask.DVFS = !f.ask.DVFS }),
			page.On(keys.Back.As("leave"), leave),
			page.On(keys.AtOnce, f.set).Pressed(f.read).Unnamed(),
			page.On(keys.No, leave).Unnamed(), page.On(keys.Quit, leave).Unnamed(),
			page.On(keys.Yes, func() page.Intent {
				return page.Say(keys.Apply.Label() + " applies it, then asks whether to keep it")
			}).Unnamed(),
			page.In(func(tea.KeyPressMsg) bool { return true }, nil), // none is left to the page
		}
	case Keeping:
		return page.Acts{
			page.On(keys.Yes.As("keep"), func() page.Intent {
				f.stage = Ending
				return page.KeepMode{}
			}).Pressed(f.read),
			page.On(keys.No.As("revert"), func() page.Intent { return f.revert("answered no") }),
		}
	}
	return nil
}

func (f *Apply) revert(why string) page.Intent {
	f.stage = Ending
	return page.Revert{Why: why}
}

// Set takes the result of setting a mode.
func (f *Apply) Set(m tegra.Mode, err error) page.Intent {
	if f.stage = Idle; err != nil {
		return page.Fail{What: "not applied, previous state restored", Err: err}
	}
	f.stage = Keeping
	f.deadline = f.read.Now().Add(KeepWithin)
	f.serial++
	return page.All{page.Say("applied and read back: " + f.read.ModeText(m)), f.countdown()}
}

// Kept takes the result of keeping a mode. lapsed: the guard has already taken it back.
func (f *Apply) Kept(err error, lapsed bool) page.Intent {
	if err != nil && !lapsed { // it is still on trial
		f.stage = Keeping
		f.serial++
		return page.All{page.Fail{What: "keep", Err: err}, f.countdown()}
	}
	if f.stage = Idle; err != nil {
		return page.Fail{What: "keep", Err: err}
	}
	keys := f.read.Keys()
	stays := "until a reboot; page 6, key " + keys.AtBoot.Label() + ", keeps it for good"
	if f.read.Board().Virtual {
		stays = "on a virtual board, until you quit"
	}
	if f.ask.Preset.OK && !f.read.Board().Virtual {
		stays = "nvpmodel sets it at every boot" + map[bool]string{false: ", unlocked"}[f.ask.DVFS]
	}
	kept := f.name()
	if proof := f.proof(); proof != "" {
		kept += ", " + proof
	}
	return page.Sayf("kept %s: %s; %s undoes it", kept, stays, keys.Undo.Label())
}

// Reverted takes the result of restoring the state before a mode.
func (f *Apply) Reverted(why string, err error) page.Intent {
	if f.stage = Idle; err != nil {
		return page.Fail{What: "revert", Err: err}
	}
	return page.Sayf("reverted (%s): the previous state is restored", why)
}

// countdown waits for a second.
func (f *Apply) countdown() page.Intent {
	serial := f.serial
	return page.After(time.Second, func() page.Intent { return f.passed(serial) })
}

// passed takes the mode back if its time is over.
func (f *Apply) passed(serial int) page.Intent {
	switch {
	case f.stage != Keeping || serial != f.serial:
		return nil
	case f.read.Now().Before(f.deadline):
		return f.countdown()
	}
	return f.revert("no answer")
}

// Undo reverts the last change to the device.
func (f *Apply) Undo() page.Intent {
	done := f.read.Applied()
	switch why := f.read.MayWrite(); {
	case why != "":
		return page.Say("undo: not now, " + why)
	case f.stage == Keeping:
		return f.revert("undone")
	case f.stage != Idle:
		return nil
	case done.Boot != nil:
		return page.ChangeBoot{Unit: done.Boot, Do: done.Boot.Undo, Undo: true}
	case !done.Undoable() && len(done.History) > 0:
		return page.Say("nothing to undo: the board is as this session found it")
	case !done.Undoable():
		return page.Say("nothing to undo: this session has not changed the device")
	}
	f.stage = Ending
	return page.Revert{Why: "undone", Settle: true}
}

// name returns the mode's name and text, with its clocks if they are free.
func (f *Apply) name() string {
	if f.ask.DVFS {
		return f.title() + ", clocks free"
	}
	return f.title()
}

func (f *Apply) title() string {
	text := f.read.ModeText(f.ask.Mode)
	if name := f.read.NameAs(f.ask.Mode, tegra.Some(!f.ask.DVFS)); name != "" {
		return name + " " + text
	}
	return text
}
