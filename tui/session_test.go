package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/search"
	"jtune/tui/session/workloads"
)

// driveSession runs the root model over a real session on a virtual board.
func driveSession(t *testing.T, o session.Options) (*driver, *session.Session) {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := must.Get(session.Open(o))(t)
	t.Cleanup(func() { s.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	d := &driver{t: t, msgs: make(chan tea.Msg, 1000), ctx: ctx, now: pagetest.Start}
	t.Cleanup(func() { // later nothing may write to the test's folder
		cancel()
		d.running.Wait()
	})
	deps := depsOf(s, Options{})
	// the test must not depend on other programs and the user of this machine
	deps.campaigns.Held, deps.introduced, deps.remembered = nil, nil, nil
	deps.state.Work.Choice = search.DefaultForm(s.Device.Presets())
	deps.state.Goal = deps.state.Work.Choice.First()
	deps.state.Moment.Now = func() time.Time { return d.now }
	d.r = newRoot(ctx, deps)
	d.r.watch = deps.watch(func() int64 { return 0 })
	t.Cleanup(d.r.watch.Stop)
	d.run(d.r.Init())
	d.until("the board is read", func() bool { return d.r.sh.Readings.OK && d.r.sh.Work.List != nil })
	return d, s
}

func TestSessionOnAVirtualBoardTunesAndApplies(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 60, Seed: 1})
	d.sees("VIRTUAL ×60", "MAXN")
	d.press("t", "t")
	d.toFront()
	d.sees("✓ measured within, ", "limit 30 W")
	answer := d.r.sh.task.Tuned.Answers[0].Mode
	_, watts, err := s.Virtual.Truth("resnet18", answer)
	if err != nil || watts > 30*1.03 {
		t.Errorf("answer %v truly draws %.1f W (%v), limit 30 W and 3 %% for noise", answer, watts, err)
	}
	d.press("a", "a")
	d.settle()
	r := must.Get(s.Device.Read())(t)
	must.Equal(t, r.Mode.V, answer)
	must.NoError(t, s.Close())
	if r, _ = s.Device.Read(); r.Mode.V != s.Device.Space().Max() {
		t.Errorf("after quitting without a word the board is in %v, found was MAXN", r.Mode)
	}
}

// Front gives the same answer as jtune ask choose with the kept model: after tuning, and after a verification, whose
// reading the model was refitted to.
func TestFrontAnswersAsChooseDoesAfterAVerification(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1), Seed: 1})
	agree := func(when string) {
		t.Helper()
		kept := must.Get(models.Load(s.Options, "resnet18@virtual-orin-nano"))(t)
		command, v := outlook.OutlookOf(kept, tegra.Settings(kept.Space.Modes(), tegra.Own)), d.r.sh.Outlook
		list := must.Get(campaigns.List(s.Options.Paths))(t)
		command.Found = savedanswers.Answered(list, kept.Provenance)
		must.Equal(t, len(v.Measured()), len(command.Measured()), when)
		for w := 5.0; w <= 13; w += 0.5 {
			l := metric.Watts(w)
			at, err := command.Choose(l)
			want, got := command.Known[at], v.Known[v.Answer(l)]
			want.Also, got.Also = nil, nil // a kept model has no quantities but time and power
			must.Equal(t, got.Measured, want.Measured, when, err)
		}
	}
	d.press("t", "t")
	d.toFront()
	agree("after tuning")
	for i := 0; i < 20 && d.r.sh.Outlook.At(d.onFront()).Measured() || i == 0; i++ {
		d.press("right")
	}
	here, before := d.onFront(), d.r.sh.Outlook.Model
	if d.r.sh.Outlook.At(here).Measured() {
		t.Fatalf("mode %d was measured already: the verification would teach nothing", here)
	}
	d.press("v")
	d.until("the model that knows the reading shows", func() bool { return d.r.sh.Outlook.Model != before })
	must.Equal(t, d.onFront(), here)
	if a := d.r.sh.Outlook.At(here); a.Reading.N != 1 || !a.Fitted {
		t.Errorf("the verified mode has %d readings, fitted: %v", a.Reading.N, a.Fitted)
	}
	agree("after v")
}

func TestSessionOnAVirtualBoardTrains(t *testing.T) {
	t.Parallel()
	d, _ := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 20, Seed: 1})
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return len(d.r.sh.task.Times) > 20 && d.r.sh.task.Last != nil })
	d.sees("resnet18 running", "epoch 1", "compute")
	d.press("x", "y")
	d.until("the run ends", func() bool { return d.r.sh.task.Done() })
	d.sees("training resnet18 stopped")
	ran := d.r.sh.task.Ran
	d.press("enter")
	d.until("the next run begins", func() bool { return !d.r.sh.task.Done() })
	must.Lack(t, d.screen(), "training resnet18 stopped")
	d.press("x", "y")
	d.until("that one ends", func() bool { return d.r.sh.task.Done() })
	if r := ran; r == nil || r.Minibatches < 20 || !(r.TimeMS > 40 && r.TimeMS < 90) {
		t.Errorf("outcome %+v: want more than 20 minibatches of about 60 ms (3.1 min of 3125 at MAXN, published)", r)
	}
}

func TestSessionReadsTheBoardWhenItsModeHasChanged(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin"})
	d.r.watch.Stop() // no reading arrives by itself
	found := s.Setup().Mode
	shown := func() tegra.Val[tegra.Mode] { return d.r.sh.read.Present() }
	d.press("6", "down", "a", "a")
	d.until("the mode that was set shows", func() bool { return shown() != found })
	must.Equal(t, shown(), d.r.sh.Applied.Mode)
	d.press("n")
	d.until("the mode found shows", func() bool { return shown() == found })
}

func TestSessionOnAReplayOffersTheFileAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nightly.csv")
	text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"
	for _, c := range []int{4, 8, 12} {
		for _, cpu := range []int{1190400, 2201600} {
			for _, gpu := range []int{624750000, 1300500000} {
				for _, mem := range []int{2133000000, 3199000000} {
					text += fmt.Sprintf("%d,%d,%d,%d,%.2f,%.2f\n", c, cpu, gpu, mem,
						3e11/float64(gpu)*12/float64(c)*1e-1+40, 10+float64(gpu)/1e8+float64(c))
				}
			}
		}
	}
	must.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	d, _ := driveSession(t, session.Options{Device: "replay:" + file})
	d.sees("REPLAY ×1")
	d.press("2")
	d.sees("nightly", "replayed")
	must.Equal(t, len(d.r.sh.Work.List), 1)
	d.press("t", "t")
	d.until("the search ends", func() bool { return d.r.sh.task.Done() })
	if d.r.sh.task.Err != nil {
		t.Fatal(d.r.sh.task.Err)
	}
	d.sees("nightly", "power ≤ 30 W")
}

func TestSessionWritesAModeAsAnNvpmodelBlock(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin"})
	d.press("6", "w")
	d.written()
	files, _ := filepath.Glob(filepath.Join(s.DataPath(), "exports", "JTUNE_12C_*.conf"))
	if len(files) != 1 {
		t.Fatalf("%d blocks written, want 1; the screen:\n%s", len(files), d.screen())
	}
	must.Contain(t, string(must.Read(t, files[0])), "< POWER_MODEL")
}

func TestSessionGoesOnWithASearchThatWasCutOff(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"over the whole front": {"pgdown", "down", "right", "down", "down", "down", "down", "down", "down"},
		"for a limit":          {"down", "1", "0", "up", "up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name == "for a limit" {
				t.Skip("tunes twice, one after the other, as over the whole front")
			}
			const speed = 30 // a mode takes a third of a second: some are left when the key arrives
			d, s := driveSession(t, session.Options{Device: "virtual:orin-nano", Seed: 1, Speed: speed})
			d.press("t")
			d.press(keys...)
			d.sees("▸clock")
			d.press("t") // the clock stays at its rate
			d.until("some modes are measured", func() bool { return len(d.r.sh.task.Rows) >= 3 })
			s.Virtual.Clock().SetSpeed(speed / 1000.0)
			d.press("x", "y")
			s.Virtual.Clock().SetSpeed(speed)
			d.until("it stops", func() bool { return d.r.sh.task.Done() })
			if j := d.r.sh.task; !j.Stopped || j.Err != nil {
				t.Fatalf("stopped: %v, error %v", j.Stopped, j.Err)
			}
			d.until("the cut-off campaign is found", func() bool { return d.r.sh.Tasks.Interrupted != nil })
			before, limit := d.r.sh.Tasks.Interrupted.From.Readings, d.r.sh.task.Limits[0]
			d.press("3")
			d.sees("r continues it", "r continue")
			d.press("1")
			d.sees("cut off (3): ")
			d.press("3", "r")
			if speed := s.Virtual.Clock().Speed(); math.IsInf(speed, 1) {
				t.Error("r sets the clock to full speed")
			}
			s.Virtual.Clock().SetSpeed(math.Inf(1))
			d.until("the search ends", func() bool { return d.r.sh.task.Done() })
			j := d.r.sh.task
			if j.Err != nil || j.Tuned == nil || !j.Tuned.Answers[0].Feasible || j.Limits[0] != limit || before < 3 {
				t.Fatalf("after %d modes went on to %+v, error %v", before, j.Tuned, j.Err)
			}
			must.Contain(t, strings.Join(j.Notes, "; "), "starts from the ")
			dirs, _ := filepath.Glob(filepath.Join(s.DataPath(), "campaigns", "*"))
			if len(dirs) != 2 { // the new search starts from what is known, in a folder of its own
				t.Errorf("%d campaign folders, want 2", len(dirs))
			}
			d.until("nothing is left to go on with", func() bool { return d.r.sh.Tasks.Interrupted == nil })
		})
	}
}

// An interrupted campaign folder of another user whose file names a command: it does not run before the user has seen
// it and answered yes.
func TestSessionAsksBeforeItRunsWhatAFolderNames(t *testing.T) {
	t.Parallel()
	o := session.Options{Device: "virtual:agx-orin", Seed: 1, Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}}
	s := must.Get(session.Open(o))(t)
	w, err := workloads.Find(s, "resnet18")
	must.NoError(t, err)
	dir := filepath.Join(s.DataPath(), "campaigns", "20261122-100000-from-a-colleague")
	r := measure.ProfileRequest{Measuring: measure.Measuring{Workload: w, Dir: dir}, Choose: 4}
	_, err = measure.Profile(t.Context(), s, r, nil)
	must.NoError(t, errors.Join(err, s.Close()))
	edit := func(name string, change func(text string) string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(change(string(text))), 0o644)
		}
		must.NoError(t, err)
	}
	edit("modes.csv", func(text string) string { return strings.Join(strings.SplitAfter(text, "\n")[:3], "") })
	edit("campaign.toml", func(text string) string {
		return strings.Replace(text, "[workload]\n", "[workload]\ncommand = [\"/bin/sh\", \"-c\", \"id > PWNED\"]\n", 1)
	})
	if err := os.Remove(filepath.Join(dir, "end.txt")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	d, _ := driveSession(t, o)
	d.until("the cut-off campaign is found", func() bool { return d.r.sh.Tasks.Interrupted != nil })
	d.press("3", "r")
	d.sees(`command "/bin/sh -c`, "id > PWNED", "has other settings here", "y run what", "n leave it")
	d.press("n", "r", "esc", "d", "esc")
	if d.r.sh.task != nil {
		t.Fatalf("it runs %+v without a yes", d.r.sh.task.Workload)
	}
	d.press("r", "y")
	d.until("it goes on", func() bool { return d.r.sh.task.Done() })
	if j := d.r.sh.task; j.Err != nil || len(j.Workload.Command) != 3 {
		t.Errorf("went on with %q, error %v", j.Workload.Command, j.Err)
	}
}

func TestSessionProfilesRenamesDeletesAndRestoresFromTheScreen(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:xavier-nx", Seed: 1, Speed: math.Inf(1)})
	d.press("3", "n", "right", "3", "enter", "c", "o", "r", "e", "s", ">", "=", "4", "enter")
	d.until("three modes are measured", func() bool { return d.r.sh.task != nil && d.r.sh.task.Done() })
	rows := d.r.sh.task.Rows
	if j := d.r.sh.task; j.Err != nil || len(rows) != 3 || j.Plan != "3 random modes of cores>=4" {
		t.Fatalf("%q measured %d modes, error %v", j.Plan, len(rows), j.Err)
	}
	for _, row := range rows {
		if row.Mode.Cores < 4 {
			t.Errorf("%v does not pass the filter", row.Mode)
		}
	}
	d.until("it is listed", func() bool { return len(d.r.sh.Tasks.Campaigns) == 1 })
	d.press("esc", "M", "ctrl+u", "m", "i", "n", "e", "enter")
	name := func() string { return d.r.sh.Tasks.Campaigns[0].Name }
	d.until("it has another name", func() bool { return name() == "mine" })
	d.press("D")
	d.sees("delete? y / n")
	d.press("n", "D", "y")
	d.until("it is deleted", func() bool { return len(d.r.sh.Tasks.Deleted) == 1 && len(d.r.sh.Tasks.Campaigns) == 0 })
	d.press("U", "U")
	d.until("it is back", func() bool { return len(d.r.sh.Tasks.Campaigns) == 1 })
	must.Equal(t, must.Get(campaigns.Find(s.Options.Paths, "mine"))(t).Readings, 3)
}
