package profile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/task"
)

func TestProfileShowsTheBatchSizeOfEachRow(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	for i := range j.Rows {
		j.Rows[i].Batch = []int{8, 32}[i%2]
	}
	d.State.Tasks.Own = j
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1])
		d.Sees(" bs ", "  8 ", " 32 ")
	}
	j.State = task.Done
	d.Press("R")
	if start, ok := d.Want().(page.Start); !ok || start.Task.Kind != task.Redoing {
		t.Errorf("R starts %+v", start)
	}
	j.Rows = pagetest.Task(d.Board, task.Tuning).Rows
	must.Lack(t, d.Screen(), " bs ")
}

func TestProfileTellsWhyThereAreNoBandsYet(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	j.Bands, d.State.Tasks.Own = nil, j
	d.Sees("bands: computing")
	j.Rows = j.Rows[:3]
	d.Sees("bands from 4 modes on")
}

func TestProfileNumbersAThousandModes(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	for len(j.Rows) < 1234 {
		j.Rows = append(j.Rows, j.Rows[0])
	}
	d.State.Tasks.Own = j
	d.Press("e")
	d.Sees("▸1234 ", " 1233 ", " ok ")
}

func TestProfileEndsWithACardOfTheSaving(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 20, 30)
	d.State.Tasks.Own = j
	d.Sees("▸ 20 W", "  30 W", "FITS 20 W", "takes 79.9 ms", "23 % faster than MODE_15W: 20 … 25 %",
		"today = MAXN █", "MODE_15W     █", "answer       █", "a apply  A at once")
	d.Press("down", "enter")
	if want, _ := d.Want().(page.Open); page.Name(want) != page.Front || d.State.Goal.Limit.Of(metric.Power) != 30 {
		t.Errorf("enter opens %q for %v, want the front of the second answer", want, d.State.Goal.Limit)
	}
	d.Press("a")
	if want, _ := d.Want().(page.Apply); want.Mode != j.Tuned.Answers[1].Mode {
		t.Errorf("a applies %v, want %v", want.Mode, j.Tuned.Answers[1].Mode)
	}
	d.Press("esc")
	must.Lack(t, d.Screen(), "FITS")
	d.Sees("measured, newest first")
	verifying := pagetest.Task(d.Board, task.Verifying)
	verifying.State = task.Done
	d.State.Tasks.Own, d.State.Tasks.Searched = verifying, j
	must.Equal(t, p.shown(), j, "after a verification the search is gone")
}

func TestProfileCardSaysWhenThereIsNothingToSave(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 30)
	d.State.Tasks.Own = j
	a := &j.Tuned.Answers[0]
	a.Before.Setting = a.Setting
	a.Compared()
	d.Sees("the board was in the best mode already")
	j.Tuned.Answers[0].Feasible = false
	d.Sees("NO MEASURED MODE SURELY FITS 30 W, this is the nearest")
	a.Feasible, a.Versus, a.Gain = true, outlook.Comparisons{}, nil
	d.Sees("the answer")

	// a mode that breaks the limit is no reference for a gain
	a.Gain = &answers.Gain{Quantity: answers.Energy, Against: "MODE_15W", Pct: -3, Lo: -36, Hi: 33}
	d.Sees("3 % less energy than MODE_15W: -36 … +33 %, predicted")
	a.Before, a.Preset = &answers.Baseline{Name: "MAXN", Mean: tegra.Mean{Measured: tegra.Measured{
		Setting: tegra.Setting{Mode: d.Board.Space().Max()}, TimeMS: 30, PowerW: 55}, N: 1}}, nil
	a.Compared()
	d.Sees("slower than MAXN: 30.0 ms")
}

// What was read since the search changes the card as it changes Front: its verdict, and which mode is better now.
func TestProfileCardSaysWhatReadingsSinceItsSearchSay(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 20)
	d.State.Tasks.Own = j
	a, v := j.Tuned.Answers[0], d.Board.Outlook()
	v.Workload = j.Workload.Name
	v = v.Answering(a.Limit, a.About, a.Probes)
	v.Found = map[metric.Question]outlook.Answered{{Limit: a.Limit}: {Setting: a.Setting}}
	d.State.Outlook = v
	d.Sees("FITS 20 W")
	for _, c := range []struct {
		mean float64 // W
		says string
	}{{20, "AT THE LIMIT OF 20 W"}, {21, "OVER 20 W"}} {
		now := *v
		now.Found = nil
		for range 2 {
			more := a.Reading.Measured
			more.PowerW = 2*c.mean - more.PowerW
			now = *now.With(more)
		}
		d.State.Outlook = &now
		d.Sees(c.says, "(4 readings)", "better mode found since: ")
		stands := now.StandingOf(a.Mode, a.Limit).Verdict()
		must.Equal(t, savedanswers.Renewed(a, now.About(a.Mode).Reading).Standing.Verdict(), stands)
	}
}

func TestProfileCardNamesAModeOnceAndTheOneBeforeSo(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 20)
	d.State.Tasks.Own = j
	a := &j.Tuned.Answers[0]
	d.State.Readings.OK = true
	d.State.Readings.Sample.Reading.Mode = tegra.Some(a.Before.Mode)
	d.Sees("today = MAXN", "MAXN: 37.6 ms")
	for _, name := range []string{"MODE_15W ", "MAXN "} {
		if n := strings.Count(d.Screen(), "\n│ "+name); n != 1 && name != "MAXN " || n > 1 {
			t.Errorf("%s has %d lines:\n%s", name, n, d.Screen())
		}
	}
	d.State.Readings.Sample.Reading.Mode = tegra.Some(a.Mode) // applied and kept
	d.Sees("before = MAXN", "kept: the board is in this mode now")
	must.Lack(t, d.Screen(), "today", "is restored")
	d.Press("S")
	if ask, _ := d.Want().(page.AskSoak); ask.Limits != "20 W" || ask.Mode != d.Board.Space().Format(a.Mode) {
		t.Errorf("the dialog of the soak opens with %+v", ask)
	}
}

func TestProfileSaysTheBestSoFarAndWhyTheNext(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	d.State.Tasks.Own = j
	d.Sees("so far", "best 141.2 ms, 27.6 W; MAXN ~105.4 ms, 46.8 W",
		"why this one: expected gain on the best so far", "3.1 %, 92 % sure to fit 30 W", "◉")
	j.Best.Versus.MaxN.Measured = true
	d.Sees("27.6 W; MAXN 105.4 ms")
	j.Best.Reading.N = 0
	d.Sees("best none fits 30 W yet")
}

func listed(t *testing.T) (*pagetest.Driver, *Page) {
	d, p := pagetest.Drive(t, New)
	d.State.Tasks.Campaigns, d.State.Tasks.Deleted = pagetest.Campaigns(d.Board)
	d.State.Tasks.Interrupted = task.Offered(d.State.Tasks.Campaigns)
	return d, p
}

func TestProfileListsCampaignsAndActsOnTheOneUnderTheCursor(t *testing.T) {
	d, p := listed(t)
	d.Sees("▸resnet18      11 random modes of cores>=4", "interrupted   6/11", "jtune 4242: the grid",
		" 20260314-144500-resnet18-sample", "cut off: r continues it")
	must.Equal(t, p.Subject(), "resnet18")
	d.Press("M")
	d.Sees("Rename a campaign", "20260314-144500-resnet18-sample_")
	d.Press("esc")
	d.Press("down", "D")
	ask, ok := d.Want().(page.Ask)
	if !ok || !strings.Contains(ask.Why, "9 measured modes") {
		t.Fatalf("D asks %+v", d.Want())
	}
	if len(d.Board.Acted()) > 0 {
		t.Error("it is deleted before the answer")
	}
	d.Press("up", "up", "D", "M")
	must.Contain(t, d.Notice, "not while it runs")
	d.Press("n")
	if _, ok := d.Want().(page.NewCampaign); !ok {
		t.Errorf("n wants %+v", d.Want())
	}
	d.Press("G", "enter")
	d.Sees("20260312-091500-resnet18-list: 4 listed modes, 2 times each with resnet18", "8 readings", "finished")
	if p.Copied() == "" {
		t.Error("y copies nothing of an opened campaign")
	}
	d.Press("esc")
	if d.Sees("campaigns of this board"); p.Copied() != "20260312-091500-resnet18-list" {
		t.Errorf("y copies %q", p.Copied())
	}
}

func TestProfileSaysThatACampaignIsMarked(t *testing.T) {
	d, _ := listed(t)
	d.Press("d")
	d.Sees("* is marked: d on another one compares the two")
	d.Press("esc")
	d.Sees("campaigns of this board, newest first")
}

func TestProfileComparesTwoCampaigns(t *testing.T) {
	d, _ := listed(t)
	d.Press("d")
	d.Sees("▸resnet18      * 11 random modes", "d compares it with the one marked *")
	d.Press("down", "d")
	d.Sees("6 modes measured by both", "+5.3 % time", "the board has drifted", "first after the new heat sink")
	d.Press("esc", "d", "esc")
	must.Lack(t, d.Screen(), "marked *")
}

func TestProfileRestoresADeletedCampaign(t *testing.T) {
	d, _ := listed(t)
	d.Press("U")
	d.Sees("deleted, newest first", "20260310-120000-resnet18-modes")
	d.Press("D")
	if d.Sees("20260310-120000"); !strings.Contains(d.Notice, "U restores it") {
		t.Errorf("D of a deleted one says %q", d.Notice)
	}
	d.Press("U")
	d.Until("it is restored", func() bool { return len(d.Board.Acted()) == 1 })
	must.Equal(t, d.Board.Acted()[0], "restore 20260310-120000-resnet18-modes")
	d.Sees("campaigns of this board")
}

func TestProfileShowsWholeValuesInFortyColumns(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.Size(40, 10)
	j := pagetest.Task(d.Board, task.Tuning)
	d.State.Tasks.Own = j
	d.Sees("31/40", "best 141.2 ms, 27.6 W; MAXN ~",
		"why: expected gain on the best so far", "3.1 %, 92 % sure to")
	d.State.Tasks.Own = pagetest.Searched(d.Board, 30)
	d.Sees("FITS 30 W", "14 % faster than MODE_30W: 12 … 16 %", "56.5 ms  28.9 W  1.64 J", "✓ measured within")
	d.State.Tasks.Own = pagetest.Searched(d.Board, 20, 30)
	d.Sees("▸ 20 W ", "  30 W ", " ms", " J ", "✓ measured within")
	d.State.Tasks.Own = pagetest.Searched(d.Board, 15, 20, 25, 30, 35, 40)
	for range 6 {
		d.Press("down")
	}
	d.Sees("▸ 40 W ", "✓ measured within", " J ", "a apply  A now  enter")
	must.Lack(t, d.Screen(), "… ")
}

func TestProfileFollowsASearchToItsEnd(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	list, _ := pagetest.Campaigns(d.Board)
	for _, l := range list {
		j := pagetest.Task(d.Board, task.Tuning)
		j.Follows, j.Planned, j.State = &control.Followed{Space: d.Board.Space()}, 0, task.Done
		j.Follows.Dir = l.Dir
		d.State.Tasks.Followed, d.State.Tasks.Campaigns = j, list
		if l.State == campaigns.CampaignFinished {
			d.Sees("finished: ")
		} else {
			d.Sees("ended or cut off")
		}
	}
}

// Why one's own search failed stays on the page while another program measures.
func TestProfileShowsItsOwnFailureBesideAnotherProgram(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	own, other := pagetest.Task(d.Board, task.Tuning), pagetest.Task(d.Board, task.Tuning)
	other.Follows = &control.Followed{Space: d.Board.Space()}
	own.State, own.Err = task.Done, errors.New("the job cannot be run")
	d.State.Tasks.Own, d.State.Tasks.Followed = own, other
	d.Sees("ended: the job cannot be run")
	own.Err = nil
	d.Sees("following")
}

func TestProfileSaysWhyAnotherProgramsRunIsNotPaused(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	j.Follows = &control.Followed{Space: d.Board.Space(),
		Reach: &control.Reach{Task: 1, State: "running", User: "anna", Ran: 40, Whole: "a run cannot be paused"}}
	d.State.Tasks.Followed = j
	d.Sees("space pause (a run cannot be paused)", "x stop and restore")
	if d.Press("space"); d.Want() != nil {
		t.Error("a run gets an order to pause")
	}
	d.Press("x")
	if want, _ := d.Want().(page.Order); want.Do != control.OrderStop {
		t.Errorf("x wants %+v", want)
	}
	soaks := pagetest.Task(d.Board, task.Tuning) // its answer
	soaks.Progress.Phase = profiles.Soaking
	d.State.Tasks.Own, d.State.Tasks.Followed = soaks, nil
	d.Sees("space pause (a soak is one load")
	must.Lack(t, d.Screen(), "of at most") // nothing more is measured
	d.Press("space")
	must.Equal(t, d.Want(), nil)
}

// The remaining time is at the right end of the second line at every width and in every state of the task.
func TestProfileAlwaysShowsTheTimeLeft(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	states := map[string]func(j *page.Task){
		"measuring": func(*page.Task) {},
		"a long remark": func(j *page.Task) {
			j.Progress.LeftOut, j.Progress.Dropped, j.Progress.Settled = 34, 5, tegra.Some(3.1)
		},
		"more than asked for": func(j *page.Task) {
			j.Progress.Minibatch, j.Progress.Span, j.Progress.Samples = 577, 7*time.Second, 6
		},
		"applying": func(j *page.Task) { j.Progress.Phase = profiles.Applying },
		"settling": func(j *page.Task) { j.Progress.Phase = profiles.Settling },
		"pausing":  func(j *page.Task) { j.State = task.Pausing },
		"paused":   func(j *page.Task) { j.State = task.Paused },
		"stopping": func(j *page.Task) { j.State = task.Stopping },
	}
	for name, change := range states {
		for w, left := range map[int]string{40: "9 min left", 80: "7–9 min left", 120: "7–9 min left"} {
			j := pagetest.Task(d.Board, task.Tuning)
			change(j)
			d.State.Tasks.Own = j
			d.Size(w, 20)
			if line := strings.Split(d.Screen(), "\n")[1]; !strings.HasSuffix(strings.TrimRight(line, " "), left) {
				t.Errorf("%s at %d columns: %q does not end with %q", name, w, line, left)
			}
			must.Lack(t, d.Screen(), "577")
		}
	}
	j := pagetest.Task(d.Board, task.Tuning)
	states["more than asked for"](j)
	d.State.Tasks.Own = j
	d.Size(120, 20)
	d.Sees("measuring 7 s, 6 power samples, 88.1 ms")
	j.Progress.ETAHi = 0
	d.Sees("06:12 elapsed")
}

// A reading of an answer is newer than the search, also where a kill cut it off: the cursor is on the search.
func TestProfileBeginsAtTheNewestCampaignThatIsNoVerification(t *testing.T) {
	d, _ := listed(t)
	d.State.Tasks.Interrupted = nil
	list := d.State.Tasks.Campaigns
	list[0].Header.Plan.Kind = campaigns.VerifyKind
	d.Sees("▸"+list[1].Header.Workload.Name, " "+list[1].Name+": ")
}

// The answer of any search is one enter away, with its further campaigns below it.
func TestProfileOpensTheAnswerThatACampaignKeeps(t *testing.T) {
	d, p := listed(t)
	kept := &answers.Kept{Answers: pagetest.Searched(d.Board, 20, 30).Tuned.Answers, Warnings: []string{"a poor one"}}
	list := d.State.Tasks.Campaigns
	list[2].Dir, list[2].Answer = t.TempDir(), kept.Brief()
	must.NoError(t, answers.Keep(list[2].Dir, *kept))
	list[1].Part = list[2].Dir
	mode := d.Board.Space().Format(kept.Answers[0].Mode)
	d.Sees("campaigns of this board")
	d.Press("g", "down")
	must.Lack(t, d.Screen(), "11 random modes")
	d.Sees("20 W → " + mode)
	d.Press("right")
	d.Sees("└ 11 random modes")
	d.Press("left", "enter")
	d.Sees("▸ 20 W", "  30 W", "takes 79.9 ms", "a poor one", "a apply  A at once")
	d.Press("down", "a")
	if want, _ := d.Want().(page.Apply); want.Mode != kept.Answers[1].Mode {
		t.Errorf("a applies %v, want %v", want.Mode, kept.Answers[1].Mode)
	}
	d.Press("esc")
	d.Sees("measured, newest first")
	d.Press("enter")
	d.Sees("a apply  A at once")
	d.Press("esc", "esc")
	d.Sees("campaigns of this board")

	d.Send(page.Recalled{Workload: "resnet18"})
	d.Sees("a apply  A at once", "30 W")
	p.kept.better = []tegra.Val[tegra.Setting]{{}, tegra.Some(tegra.Setting{Mode: kept.Answers[0].Mode})}
	p.kept.worked = true
	d.Press("down")
	d.Sees("better mode found since: "+mode, "worked out of its rows")
}

// A race shows the measurements: what each mode does in a minute, and that one over the limit blows the fuse. It stays
// on the card until a key removes it; without measurements to compare there is no race.
func TestProfileRacesTheModesOfACard(t *testing.T) {
	t.Parallel()
	d, p := pagetest.Drive(t, New)
	now := pagetest.Start
	d.State.Moment.Now = func() time.Time { return now }
	j := pagetest.Searched(d.Board, 30)
	a := &j.Tuned.Answers[0]
	at := func(m tegra.Mode, ms, w float64) tegra.Mean {
		return tegra.Mean{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w}, N: 1}
	}
	top := d.Board.Space().Max()
	slow := top
	slow.Cores = 1
	a.Before = &answers.Baseline{Name: answers.Present, Mean: at(top, 60, 50)}
	a.Preset = &answers.Baseline{Name: "MODE_30W", Mean: at(slow, 100, 29)}
	a.Reading, a.Limit = at(a.Mode, 75, 28), metric.Watts(30)
	a.Compared()
	d.State.Tasks.Own = j
	d.Size(80, 24)
	d.Press("r")
	d.Sees("the race within 30 W: steps and J in one minute", "0.0 s, ×7.5", "50.0 W ✗")
	now = now.Add(raceTime / 2) // 30 s of the board
	d.Sees("30.0 s, ×7.5", "╳ FUSE BLOWN: 50.0 of 30.0 W", " 300  870 J", " 400  840 J")
	now = now.Add(raceTime)
	d.Sees("60.0 s, ×7.5", " 600  1,740 J", " 800  1,680 J", "the answer wins: 800 steps within 30 W")
	must.Equal(t, p.raceOn(p.race), nil, "a race that has ended goes on")
	d.Press("esc")
	d.Sees("faster than MODE_30W")
	if d.Press("r", "r"); p.race != nil {
		t.Error("the key does not take the race away")
	}
	a.Before, a.Preset, a.Versus.Present = nil, nil, nil
	if d.Press("r"); p.race != nil || !strings.Contains(d.Notice, "nothing was measured to compare with") {
		t.Errorf("a race of one: %q", d.Notice)
	}
}

// A campaign restores the board when it ends, to which mode the open question decides.
func TestProfileContinuesNoCampaignWhileAModeWaitsToBeKept(t *testing.T) {
	t.Parallel()
	d, p := listed(t)
	l := &d.State.Tasks.Campaigns[1]
	l.NoRedo = ""
	d.Sees("r continue", "R redo failed")
	if p.noResume() != "" || p.noRedo() != "" {
		t.Fatalf("it cannot be continued: %q, %q", p.noResume(), p.noRedo())
	}
	d.State.Moment.Asking = true
	for _, key := range []string{"r", "R"} {
		d.Press(key)
		must.Equal(t, d.Want(), nil, key)
	}
	d.Sees("(answer keep first)")
	verify := task.Verify(measure.ModeRequest{Workload: l.Header.Workload, Mode: d.Board.Space().Max()}, 0)
	must.Equal(t, p.start(nil, verify), page.Intent(page.Say("not now: answer keep first")))
}

// A row is measured again at its own batch size.
func TestProfileMeasuresARowAtItsBatchSize(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Profiling)
	for i := range j.Rows {
		j.Rows[i].Batch = 64
	}
	j.State, d.State.Tasks.Own = task.Done, j
	d.Sees("▸")
	d.Press("v")
	start, ok := d.Want().(page.Start)
	if !ok || start.Task.Workload.Batch != 64 {
		t.Errorf("v starts %+v", start)
	}
}
