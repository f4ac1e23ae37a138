package dialog

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/fields"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/search"
	"jtune/tui/widget"
)

// tuneForm is the Tune dialog as a pagetest.Driven.
type tuneForm struct{ *Tune }

// Update implements pagetest.Driven: a form gets pasted text.
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
	d.Press("pgdown", "down", "down", "down")
	return d, f // at the batch size
}

func TestTuneAsksForABinarySearch(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Press("down", "down")
	d.Sees("auto: a model says what to measure next")
	if f.request().Strategy == optimize.Binary {
		t.Error("by itself it asks for a binary search")
	}
	d.Press("right")
	d.Sees("binary: halves one clock after another", "a binary search starts from nothing")
	if r := f.request(); r.Strategy != optimize.Binary || r.Coverage != campaigns.CoverLimit {
		t.Errorf("got strategy %q, coverage %v", r.Strategy, r.Coverage)
	}
	for _, k := range "20 30" {
		d.Press(string(k))
	}
	d.Sees("answers one limit")
	if d.Press("t"); d.Want() != nil {
		t.Error("a binary search for two limits starts")
	}
}

func TestTuneAsksForEveryFieldOfASearch(t *testing.T) {
	for _, f := range fields.Of("search") {
		if f.Offered() == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			_, d := driveTune(t, nil)
			at := slices.IndexFunc(d.Fields, func(q page.Field) bool { return q.Name == f.Name })
			if at < 0 {
				t.Fatal("it is no question")
			}
			d.Fields[at].Turn(1)
			asked, want := d.request().Asked, f.Offered()[1].Value
			if got := reflect.ValueOf(fields.Place(f.Name, &asked)).Elem().Interface(); got != want && got != true {
				t.Errorf("asks for %v, want %v", got, want)
			}
		})
	}
}

func TestTuneChoosesBatchSizes(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Sees("16 samples, the job's own", "fastest within")
	must.Equal(t, f.batches(), nil)
	d.Press("right")
	d.Sees("choose among 8 16 32", "per sample")
	d.Press("right")
	d.Sees("choose among 4 8 16 32 64")
	for _, k := range "32,4" {
		d.Press(string(k))
	}
	must.Equal(t, f.batches(), []int{4, 32})
	d.Press("backspace", "backspace")
	if d.Sees("two sizes at least"); f.batches() != nil {
		t.Errorf("one size is taken for %v", f.batches())
	}
	d.Press("right") // back to its own
	d.Sees("16 samples, the job's own")

	// several sizes allow only coverage of this limit
	d.Press("up", "up", "right")
	d.Sees("the whole front, about")
	d.Press("down", "down", "right")
	d.Sees("this limit: at most")
	d.Press("up", "up", "right")
	if d.Sees("this limit: at most"); f.asked.Coverage != campaigns.CoverLimit {
		t.Error("the front effort cannot be had with several sizes")
	}
}

func TestTuneSaysWhereBatchSizesCannotBeChosen(t *testing.T) {
	d, f := driveTune(t, func(s *page.State) {
		s.Work.Fixed = map[string]string{"resnet18": "this command has a fixed batch size"}
	})
	d.Press("right")
	if d.Sees("16 samples: this command has a fixed batch size"); f.batches() != nil {
		t.Errorf("sizes %v for a job with a fixed one", f.batches())
	}
	d.Press("8", "t")
	if d.Sees("8_ › ✗ this command has a fixed batch size"); d.Want() != nil {
		t.Error("it starts with a size that the job does not take")
	}
	d, f = driveTune(t, func(s *page.State) { s.Device.Board.Replay, s.Work.Sizes = "file.csv", []int{1, 4, 16} })
	d.Sees("choose among 1 4 16")
	for _, k := range "4,8,16" {
		d.Press(string(k))
	}
	must.Equal(t, f.batches(), []int{4, 16})
}

func TestTuneTakesAPastedListAndEditsItInPlace(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Send(tea.PasteMsg{Content: "8, 16, 64 samples"})
	d.Sees("8, 16, 64 samples_")
	for range len(" samples") {
		d.Press("backspace")
	}
	d.Press("left", "backspace", "3")
	must.Equal(t, f.batches(), []int{8, 16, 34})
	d.Press("end", "backspace", "2")
	d.Sees("8, 16, 32_")
}

func TestTuneTakesANumberFromAnyQuestion(t *testing.T) {
	for name, write := range map[string]func(d *pagetest.Driver){
		"typed at the workload": func(d *pagetest.Driver) { d.Press("up", "up", "up", "up"); d.Type("27.5") },
		"typed at the coverage": func(d *pagetest.Driver) { d.Press("up", "up"); d.Type("27.5") },
		"pasted": func(d *pagetest.Driver) {
			d.Press("up", "up", "up")
			d.Send(tea.PasteMsg{Content: "27.5 W"})
		},
		"pasted at the workload": func(d *pagetest.Driver) {
			d.Press("up", "up", "up", "up")
			d.Send(tea.PasteMsg{Content: "27.5\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := driveTune(t, nil)
			write(d)
			d.Sees("fastest within 27.5")
			d.Press("t")
			must.Equal(t, f.request().Limits[0].Of(metric.Power), 27.5)
		})
	}
}

func TestTuneDoesNotStartWithAnAnswerThatIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys   []string // at the batch size
		pasted string
		sees   []string
	}{
		"no power at all": {[]string{"up", "up", "up", "0"}, "", []string{"0_ W"}},
		"two decimal points": {[]string{"up", "up", "up", "2", ".", "5", ".", "7"}, "",
			[]string{"want a number above 0"}},
		"one batch size":     {[]string{"1", "2"}, "", []string{"✗ two sizes at least"}},
		"an impossible size": {[]string{"8", ",", "1", "6", ",", "0"}, "", []string{"✗ 0 is not 1 to"}},
		"wrong, and moved away": {[]string{"up", "up", "up", "0", "enter", "enter"}, "",
			[]string{"want a number above 0"}},
		"pasted words":       {[]string{"up", "up", "up"}, "abc", []string{"within abct_", "want a number above 0"}},
		"words at the depth": {[]string{"up"}, "abc", []string{"within abct_", "want a number above 0"}},
		"words for energy":   {[]string{"up", "up", "up", "left"}, "abc", []string{"abct_", "✗ "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := driveTune(t, nil)
			d.Press(c.keys...)
			if c.pasted != "" {
				d.Send(tea.PasteMsg{Content: c.pasted})
			}
			d.Press("t")
			d.Sees(c.sees...)
			if want := d.Want(); want != nil {
				t.Fatalf("it starts %+v", want)
			}
			for range 12 {
				d.Press("backspace")
			}
			d.Press("t")
			if d.Want() == nil {
				t.Errorf("it does not start with its own answers; the dialog:\n%s", d.Screen())
			}
		})
	}
}

// A character that is none of a limit's was once left out in silence: -5 became 5 W, and 1e9 ms 19 ms.
func TestTuneShowsEveryCharacterTypedAtALimit(t *testing.T) {
	for _, c := range []struct{ typed, sees string }{
		{"-5", "within -5_"}, {"30kW", "within 30kW_"}, {"1e3 ms", "within 1e3 ms_"}, {"x", "✗ "}, {"30 q", "30 q_"},
	} {
		d, _ := driveTune(t, nil)
		d.Press("up", "up", "up")
		d.Press(strings.Split(c.typed, "")...)
		d.Sees(c.sees)
	}
	for typed, want := range map[string]metric.Goal{ // t, the key that starts, is in their words
		"least energy": metric.LeastEnergy, "25 W, least energy": {Limits: metric.Watts(25).Limits,
			Objective: metric.Energy},
	} {
		d, f := driveTune(t, nil)
		d.Press("up", "up", "up")
		d.Press(strings.Split(typed, "")...)
		d.Sees("‹ " + typed + "_ ›")
		must.Equal(t, f.request().Limits[0], want)
		if d.Press("t"); d.Want() == nil {
			t.Errorf("%s does not start", typed)
		}
	}
	d, _ := driveTune(t, nil)
	d.Press("up", "up", "up", "left") // least energy
	d.Press("2", "5")
	d.Sees("fastest within 25_ W")
}

func TestTuneSaysThatALimitIsAboveAllThatIsKnownOfTheBoard(t *testing.T) {
	d, _ := driveTune(t, nil)
	const said = "no reading or preset of this board reaches the limit of 300 W"
	d.Press("up", "up", "up", "3", "0")
	must.Lack(t, d.Screen(), "reaches the limit")
	d.Press("0")
	d.Sees(said)
	if d.Press("t"); d.Want() == nil {
		t.Error("it does not start: this is a note, not an error")
	}
}

func TestTuneShowsWholeAnswersInFortyColumns(t *testing.T) {
	t.Parallel()
	d, _ := driveTune(t, nil)
	d.Size(40, 10)
	d.Press("up", "up", "up")
	d.Type("20,25,30")
	d.Sees("fastest within", "20,25,30_ W", "batch      16 samples")
	d.Send(tea.PasteMsg{Content: "x"})
	d.Sees("20,25,30x_", "want a number above 0", "coverage")
	for h := 5; h <= 12; h++ {
		d.Size(40, h)
		screen := d.Screen()
		must.Lack(t, screen, "…")
		must.Contain(t, screen, "want a number above 0")
	}
}

func TestTuneStartsFromWhatIsKnownUnlessAskedNotTo(t *testing.T) {
	d, f := driveTune(t, nil)
	d.Press("down")
	if d.Sees("starts from what is known"); f.request().Fresh {
		t.Error("by itself it starts from nothing")
	}
	d.Press("right")
	if d.Sees("starts from nothing"); !f.request().Fresh {
		t.Error("the search starts from nothing")
	}
}

func TestTuneBeginsAtTheLimitAndTakesSeveral(t *testing.T) {
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.Type("25")
	d.Sees("fastest within 25_ W", "pgdn more: coverage, depth, batch, fresh, strategy, baseline")
	must.Lack(t, d.Screen(), "this limit")
	d.Press("pgdown")
	d.Sees("this limit: at most 32")
	d.Type(" 30,20 25")
	d.Sees("these 3 limits: at most 52")
	d.Press("t")
	want := []metric.Goal{metric.Watts(25), metric.Watts(30), metric.Watts(20)}
	must.Equal(t, f.request().Limits, want)
	all, _ := d.Want().(page.Start)
	if all.Task == nil || len(all.Task.Limits) != 3 {
		t.Errorf("it starts %+v", all.Task)
	}
	if got := d.Remembered; got.Kind != search.WithinPower || got.Limits[search.WithinPower] != "25 W, 30 W, 20 W" {
		t.Errorf("it remembers %+v", got)
	}

	d, _ = driveTune(t, nil)
	d.Press("up", "up", "up")
	d.Type("1 2 3 4 5 6 7")
	if d.Press("t"); d.Want() != nil {
		t.Error("it starts with seven limits")
	}
	d.Sees("✗ 6 at most")
}

func TestTuneBeginsWithTheAnswersGivenLast(t *testing.T) {
	last := search.Form{Workload: "mobilenet", Kind: search.WithinTime, Limits: map[search.Kind]string{
		search.WithinPower: "22 W", search.WithinTime: "80 ms, 120 ms",
		search.LeastEnergy: "least energy"}, Depth: "thorough", Coverage: "limit"}
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.State.Work.Choice = last
	*f.Tune = *NewTune(page.ReaderOf(d.State))
	d.Sees("mobilenet", "within 80 ms, 120 ms/step", "thorough: until")
	r := f.request()
	if r.Workload.Name != "mobilenet" || r.Limits[0].Of(metric.Time) != 80 || len(r.Limits) != 2 ||
		r.Depth != optimize.Thorough {
		t.Errorf("it asks for %+v", r)
	}
	d.Press("left") // another kind of limit has its own values
	d.Sees("fastest within 22 W")
}

func TestTuneBeginsWithTheSuggestedWorkloadUntilOneIsChosen(t *testing.T) {
	var read page.Reader
	d, _ := pagetest.Drive(t, func(r page.Reader) tuneForm { read = r; return tuneForm{NewTune(r)} })
	begins := func(want string) {
		t.Helper()
		must.Equal(t, d.State.Work.List[NewTune(read).job].Name, want)
		must.Equal(t, d.State.Work.List[NewCampaign(read).job.at].Name, want)
	}
	begins("resnet18")
	d.State.Work.Suggested = "bert"
	begins("bert")
	d.State.Work.Choice.Workload = "gone" // no longer in the configuration
	begins("bert")
	d.State.Work.Choice.Workload = "mobilenet"
	begins("mobilenet")
	d.State.Work.Preferred = "resnet18"
	begins("resnet18")
}

// letters splits a text into keys.
func letters(text string) (keys []string) {
	for _, r := range text {
		key := string(r)
		if r == ' ' {
			key = "space"
		}
		keys = append(keys, key)
	}
	return keys
}

// Limits with a load are one line, only for inference; the search answers a single limit.
func TestTuneTakesLimitsWithALoad(t *testing.T) {
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.State.Work.List[0].Kind = workload.Inference
	d.Press(letters("30 W, p99 50 ms, 30/s")...)
	d.Sees("30 W, p99 50 ms, 30/s_")
	must.Equal(t, f.wrongLimit(), "")
	d.Press("down")
	d.Sees("least power within 30 W, p99 50 ms, 30/s")
	r := f.request()
	must.Equal(t, f.answers().Limits[search.WithinPower], "30 W, p99 50 ms, 30/s")
	v := r.Load
	if v.RatePerS != 30 || v.LatencyMS != 50 || r.Limits[0].Of(metric.Power) != 30 || len(r.Limits) != 1 {
		t.Errorf("asks for %+v under %+v", r.Limits, r.Load)
	}
	d.Press("up", "]", "]")
	d.Sees("least power within 32 W, p99 50 ms, 30/s")
	d.Press("[", "down")
	if r := f.request(); r.Limits[0].Of(metric.Power) != 31 || r.Load != v {
		t.Errorf("a limit with a load, moved by 1 W: %+v under %+v", r.Limits, r.Load)
	}
	d.Press("pgdown", "down", "down", "down", "right") // the whole front cannot be searched under a load
	d.Sees("this limit")
	must.Equal(t, f.request().Coverage, campaigns.CoverLimit, "asks for the whole front")
	d.Press("up")
	d.Press(letters("25")...)
	d.Press("down")
	if r := f.request(); r.Load.Any() || r.Limits[0].Of(metric.Power) != 25 {
		t.Errorf("after 25: %+v under %+v", r.Limits, r.Load)
	}
	d.Press("up")
	d.Press(letters("40 W, p99 50 ms, 30/s, uniform")...)
	d.Press("down")
	must.Equal(t, f.request().Load.Arrivals, "uniform")
	d.Press("up")
	d.Press(letters("p99 50 ms, /s")...)
	d.Sees("✗")
}

func TestTuneTakesNoLoadForTraining(t *testing.T) {
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.Press(letters("30 W, 30/s")...)
	d.Sees("only for inference")
	if f.wrongLimit() == "" {
		t.Error("taken")
	}
}

// A job of one's own is described by what is known of it: there are no empty words in place of a model and its data.
func TestTuneDescribesOwnJobsAndServers(t *testing.T) {
	server := workload.Workload{Name: "chat", Kind: workload.Inference,
		Server: workload.Server{API: "openai", URL: "http://127.0.0.1:8080", Beside: "llama"}}
	for _, c := range []struct {
		w    workload.Workload
		want string
	}{
		{server, "chat: of the server at http://127.0.0.1:8080"},
		{workload.Workload{Name: "mine", Command: []string{"python3", "train.py\x1b[2J"}}, "mine: python3 train.py[2J"},
		{workload.Workload{Name: "mine", Title: "Night shift"}, "mine: Night shift"},
		{workload.Workload{Name: "mine"}, "mine"},
	} {
		must.Equal(t, workloadText(c.w), c.want)
	}
	d, _ := driveTune(t, func(s *page.State) { s.Work.List = []workload.Workload{server} })
	d.Sees("clock      – real time: the job really runs on this machine")
}

// Letters at the workload field find a workload by its name and never start anything, not even a t.
func TestTuneFindsAWorkloadByTheLettersOfItsName(t *testing.T) {
	t.Parallel()
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.Press("up")
	d.Sees("type a name to find it; + adds an inference job")
	must.Contain(t, ansi.Strip(widget.Footer(f.Acts().Hints(), 0, 200)), "ctrl+t start now")
	d.Press(letters("bert")...)
	if d.Want() != nil {
		t.Fatal("the letters of a name start a measurement")
	}
	d.Sees("‹ bert_ → bert: BERT base on SQuAD ›")
	d.Press("down", "up")
	d.Sees("‹ bert: BERT base on SQuAD ›")
	d.Press(letters("net18")...) // a digit after a letter belongs to the name
	d.Sees("‹ net18_ → resnet18: ")
	d.Press("x")
	d.Sees("‹ net18x_ ›", "✗ no workload has such a name", "n on Train takes a command of yours")
	d.Press("ctrl+t")
	must.Equal(t, d.Want(), nil, "it starts with another workload than was typed")
	d.Press("backspace", "ctrl+t")
	if f.request().Workload.Name != "resnet18" || d.Want() == nil {
		t.Errorf("ctrl+t does not start %s", f.request().Workload.Name)
	}
	d.Press("up", "down", "down", "2", "5")
	d.Sees("fastest within 25_ W")
	d.Press("up", "2") // a digit before any letter is a limit
	d.Sees("▸limit    ‹ fastest within 2_ W")
	for what, at := range map[string]int{"resnet18": 0, "RES": 0, "mobile": 1, "net": 0, "squad": 2, "nothing": -1} {
		must.Equal(t, findWorkload(d.State.Work.List, what), at, what)
	}
}

// campaignForm is the dialog for a campaign as a pagetest.Driven.
type campaignForm struct{ *Campaign }

// Update implements pagetest.Driven.
func (f campaignForm) Update(tea.Msg) page.Intent { return nil }

func TestDialogsFindAWorkloadByItsName(t *testing.T) {
	t.Parallel()
	d, f := pagetest.Drive(t, func(read page.Reader) campaignForm { return campaignForm{NewCampaign(read)} })
	d.Press("up")
	d.Press(letters("bert")...)
	if d.Sees("bert_ → bert"); d.Want() != nil {
		t.Error("the letters of a name start a campaign")
	}
	if r, _ := f.request(); r.Workload.Name != "bert" {
		t.Errorf("the campaign takes %s", r.Workload.Name)
	}
}

// The typed unit selects the kind of limit, whatever kind the dialog showed.
func TestTuneTakesTheKindOfLimitFromItsUnit(t *testing.T) {
	t.Parallel()
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	d.Sees("fastest within 30 W")
	d.Type("120 ms")
	d.Sees("least power within 120 ms_ per step")
	d.Press("enter")
	if d.Sees("least power within 120 ms/step"); f.request().Limits[0] != (metric.Millis(120)) {
		t.Errorf("asks for %+v", f.request().Limits[0])
	}
	d.Press("up")
	d.Type("25 W")
	d.Press("enter")
	if d.Sees("fastest within 25 W"); f.request().Limits[0] != (metric.Watts(25)) {
		t.Errorf("asks for %+v", f.request().Limits[0])
	}
}
