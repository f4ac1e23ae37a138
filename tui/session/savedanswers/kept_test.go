package savedanswers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestAnswerIsKeptAndThatOfAnOlderFolderWorkedOut(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	limits := []metric.Goal{metric.Watts(28), metric.Watts(22)}
	found := must.Get(search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Questions{Limits: limits}, Keep: true}, nil))(t)
	list, err := campaigns.List(s.Options.Paths)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d campaigns, %v", len(list), err)
	}
	head, k, err := savedanswers.Find(list, list[0])
	if err != nil || k == nil || k.Worked || len(k.Answers) != 2 || head.Dir != found.Home {
		t.Fatalf("%+v, %v", k, err)
	}
	for i, a := range k.Answers {
		was, _ := json.Marshal(found.Answers[i])
		must.Equal(t, string(was), string(must.Get(json.Marshal(a))(t)))
		if at, ok := savedanswers.Since(list, head, k, i); ok && !limits[i].Better(found.Answers[i].Reading.Measured,
			tegra.Measured{Setting: at}) {
			t.Logf("%v: %v is better by what is known", a.Limit, at)
		}
	}

	must.NoError(t, os.Remove(filepath.Join(head.Dir, answers.FileName)))
	k, err = savedanswers.Answer(head)
	if err != nil || k == nil || !k.Worked || len(k.Answers) != 2 {
		t.Fatalf("without its file: %+v, %v", k, err)
	}
	for i, a := range k.Answers {
		m := a.Reading.Measured
		if a.Limit != limits[i] || !limits[i].Met(m) || a.Standing.State != standing.Measured ||
			limits[i].Better(found.Answers[i].Reading.Measured, m) && found.Answers[i].Reading.N < 2 {
			t.Errorf("%v: %+v", limits[i], a.Setting)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	}

	must.NoError(t, os.WriteFile(filepath.Join(head.Dir, answers.FileName), []byte("format = 9\n"), 0o644))
	if k, err := savedanswers.Answer(head); err == nil || k != nil {
		t.Errorf("a file that is none: %+v", k)
	}
}

func TestQuestionsSayWhatIsFoundLaterAndTheAnswerStays(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	limit := metric.Watts(28)
	// a search that may measure three times answers with a poor mode
	found := must.Get(search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: limit}.List(), Keep: true,
		Asked: record.Asked{Probes: 3}}, nil))(t)
	better := must.Get(search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: limit}.List(), Keep: true}, nil))(t)
	list, err := campaigns.List(s.Options.Paths)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d campaigns, %v", len(list), err)
	}
	k, err := savedanswers.Answer(list[0])
	if err != nil || k == nil || k.Answers[0].Setting != found.Answers[0].Setting {
		t.Fatalf("%+v, %v", k, err)
	}
	at, ok := savedanswers.Since(list, list[0], k, 0)
	gained := better.Result.Answers[0].Measured.TimeMS < 0.98*found.Result.Answers[0].Measured.TimeMS
	// by its readings a mode that is as good may be ahead of the search's answer
	ms, _, err := s.Virtual.Truth("mobilenet", at.Mode)
	if ok != gained || ok && (err != nil || ms > 1.02*better.Result.Answers[0].Measured.TimeMS) {
		t.Errorf("better since: %v %v, the later search found %v %.4g ms, the first %v %.4g ms", at, ok,
			better.Answers[0].Mode, better.Result.Answers[0].Measured.TimeMS, found.Answers[0].Mode,
			found.Result.Answers[0].Measured.TimeMS)
	}
	if !gained {
		t.Error("three measurements were enough: the test shows nothing")
	}

	// readings since count in the answer, as in those of the newer search
	again := measure.ModeRequest{Workload: w, Mode: found.Answers[0].Mode, Limit: limit}
	_, err = measure.Verify(t.Context(), s, again, nil)
	must.NoError(t, err)
	list = must.Get(campaigns.List(s.Options.Paths))(t)
	now := savedanswers.Now(list, list[0], k)[0]
	if now.Reading.N <= k.Answers[0].Reading.N || now.Mode != found.Answers[0].Mode ||
		now.Standing != standing.Stand(limit, optimize.MeasuredPrediction(now.Reading.Measured), now.Reading.N) {
		t.Errorf("verified since, it has %d readings after %d and stands %v", now.Reading.N, k.Answers[0].Reading.N,
			now.Standing)
	}
}
