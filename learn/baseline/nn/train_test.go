package nn

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

func TestTrainingLearnsASmoothBoard(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four networks to the end, each on one goroutine")
	}
	t.Parallel()
	for _, c := range []struct {
		name  string
		c     Config
		limit float64 // MAPE on unseen modes [%]
	}{
		{"squared error of plain values", Config{}, 10},
		{"squared error of logarithms", Config{LogTarget: true}, 7},
		{"relative error", Config{Loss: MAPE}, 8},
		{"raw milliseconds", Config{RawTarget: true}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.c.Epochs, c.c.MinSteps, c.c.Batch = 40, -1, 32
			n := mustTrain(t, board(300, 1, 1), c.c)
			x, y := columns(board(500, 2, 1), timeMS)
			var sum float64
			for i, v := range n.Predict(x) {
				sum += 100 * math.Abs(v-y[i]) / y[i]
			}
			if got := sum / float64(len(y)); got > c.limit {
				t.Errorf("error on unseen modes %.2f %%, want below %g %%", got, c.limit)
			}
		})
	}
}

func TestPredictionDropsNothing(t *testing.T) {
	t.Parallel()
	hard := brief
	hard.Dropout = 0.5
	n := mustTrain(t, board(60, 1, 1), hard)
	x, _ := columns(board(200, 5, 1), timeMS)
	w := widen(n.w.all)
	masks := make([][]float64, maxHidden) // none
	for i, got := range n.Predict(x) {
		row := n.standardiseRow(&x[i])
		want := max(n.floor, n.target.Backward(dense(PaperLayers(), w, [inputs]float64(widen(row[:])), masks)))
		if math.Abs(got-want) > 1e-3 {
			t.Fatalf("row %d: got %g, want %g as without dropout", i, got, want)
		}
	}
}

func TestPredictStaysPositive(t *testing.T) {
	t.Parallel()
	n := mustTrain(t, board(60, 1, 1), brief)
	n.w.b[n.w.hidden()][0] = -1000
	least := math.Inf(1)
	for _, s := range board(60, 1, 1) {
		least = min(least, s.TimeMS)
	}
	for _, got := range n.Predict([][inputs]float64{
		{1, 200, 200, 200},
		{12, 2000, 1200, 3000},
		{math.NaN(), 0, 0, 0},
	}) {
		if want := least / 10; math.Abs(got-want) > 1e-9 {
			t.Errorf("got %g, want the floor %g", got, want)
		}
	}
	if got := n.Predict(nil); len(got) != 0 {
		t.Errorf("no rows gave %v", got)
	}
}

func TestPredictMayRunConcurrently(t *testing.T) {
	t.Parallel()
	n := mustTrain(t, board(40, 1, 1), brief)
	x, _ := columns(board(100, 2, 1), timeMS)
	want := n.Predict(x)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if !slices.Equal(n.Predict(x), want) {
				t.Error("a concurrent prediction differs")
			}
		})
	}
	wait.Wait()
}

func TestTrainOnAKnobThatNeverVaries(t *testing.T) {
	t.Parallel()
	samples := board(40, 1, 1)
	for i := range samples {
		samples[i].Mode.Cores = 4
	}
	n := mustTrain(t, samples, brief)
	for _, v := range n.Predict([][inputs]float64{{4, 1000, 700, 2000}, {12, 1000, 700, 2000}}) {
		if math.IsNaN(v) || v <= 0 {
			t.Errorf("predicted %g", v)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows int
		c    Config
		want plan
	}{
		{"the reference takes 100 epochs of 62 steps", 4368, Config{}, plan{3931, 437, 64, 100, 6200}},
		{"50 modes are a full batch and take 3,000 steps", 50, Config{}, plan{45, 5, 45, 3000, 3000}},
		{"50 modes in batches of 16 pass about 1,067 times", 50, Config{Batch: 16}, plan{45, 5, 16, 1067, 3201}},
		{"10 modes hold none out", 10, Config{}, plan{10, 0, 10, 3000, 3000}},
		{"of three modes one is left to train on", 3, Config{Holdout: 0.85}, plan{1, 2, 1, 3000, 3000}},
		{"two modes hold none out", 2, Config{Holdout: 0.85}, plan{2, 0, 2, 3000, 3000}},
		{"no least number of steps leaves the paper's 100 " +
			"epochs", 50, Config{Batch: 16, MinSteps: -1}, plan{45, 5, 16, 100, 300}},
	} {
		t.Run(c.name, func(t *testing.T) {
			full := must.Get(c.c.withDefaults())(t)
			held := full.heldOut(c.rows)
			if got := full.plan(c.rows-held, held); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTrainKeepsTheBestEpoch(t *testing.T) {
	t.Parallel()
	n := trainedOnHundred(t)
	r := n.Report
	if r.Rows != 90 || r.Validated != 10 || r.Epochs != 30 || r.Steps != 180 || r.BestEpoch < 1 || r.BestEpoch > 30 {
		t.Errorf("report %+v", r)
	}
	// The split is the first thing drawn after the weights.
	again := newTraining(&Net{Config: n.Config, w: newParams(PaperLayers())})
	again.rand = rand.New(rand.NewPCG(n.Config.Seed, 1))
	again.net.w.drawAll(again.rand)
	again.net.in = n.in
	x, y := columns(board(100, 1, 1), timeMS)
	again.split(x)
	again.prepare(x, y)
	again.net.w = n.w
	if got := again.loss(again.held); got != r.BestLoss {
		t.Errorf("the kept weights' loss on the held-out rows is %g, report says %g", got, r.BestLoss)
	}
}

func TestUnusableInputIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	row, nan := [inputs]float64{1, 2, 3, 4}, math.NaN()
	two := [][inputs]float64{row, {2, 3, 4, 5}}
	for _, c := range []struct {
		name string
		x    [][inputs]float64
		y    []float64
		c    Config
		want string
	}{
		{"no rows", nil, nil, Config{}, "at least 2"},
		{"one row", two[:1], []float64{1}, Config{}, "at least 2"},
		{"unequal lengths", two, []float64{1}, Config{}, "2 modes but 1 values"},
		{"an input that is not a number", [][inputs]float64{row, {nan, 1, 1, 1}}, []float64{1, 2}, Config{},
			"input 0 " +
				"of row 1"},
		{"a target of zero", two, []float64{1, 0}, Config{}, "target of row 1"},
		{"a negative target", two, []float64{-1, 1}, Config{}, "target of row 0"},
		{"an infinite target", two, []float64{1, math.Inf(1)}, Config{}, "target of row 1"},
		{"a target that is not a number", two, []float64{1, nan}, Config{}, "target of row 1"},
		{"dropout of everything", two, []float64{1, 2}, Config{Dropout: 1}, "dropout"},
		{"a negative learning rate", two, []float64{1, 2}, Config{LearnRate: -1}, "learning rate"},
		{"a negative batch", two, []float64{1, 2}, Config{Batch: -1}, "batch"},
		{"holding everything out", two, []float64{1, 2}, Config{Holdout: 1}, "holdout"},
		{"a target both raw and logarithmic", two, []float64{1, 2}, Config{RawTarget: true, LogTarget: true}, "not " +
			"both"},
		{"an unknown loss", two, []float64{1, 2}, Config{Loss: 9}, "unknown loss"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Train(t.Context(), c.x, c.y, c.c)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Train: %v, want it to say %q", err, c.want)
			}
			_, err = (&Net{w: newParams(PaperLayers())}).Transfer(t.Context(), c.x, c.y, c.c)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Transfer: %v, want it to say %q", err, c.want)
			}
		})
	}
}

func TestTrainThatDivergesIsAnError(t *testing.T) {
	t.Parallel()
	x, y := columns(board(40, 1, 1), timeMS)
	_, err := Train(t.Context(), x, y, Config{LearnRate: 1e30, Epochs: 3, MinSteps: -1})
	if !errors.Is(err, errDiverged) {
		t.Errorf("got %v, want %v", err, errDiverged)
	}
}

func TestTrainOnTwoRows(t *testing.T) {
	t.Parallel()
	n := mustTrain(t, board(2, 1, 1), Config{Epochs: 5, MinSteps: -1})
	if n.Report.Rows != 2 || n.Report.Validated != 0 {
		t.Errorf("report %+v", n.Report)
	}
}

func TestHistoryHasTheLossesOfEachPass(t *testing.T) {
	t.Parallel()
	for _, loss := range []Loss{MSE, MAPE} {
		c := brief
		c.Loss = loss
		r := mustTrain(t, board(4, 3, 3), c).Report
		if len(r.History) != r.Epochs {
			t.Fatalf("%s: %d losses of %d passes", loss, len(r.History), r.Epochs)
		}
		first, kept := r.History[0], r.History[r.BestEpoch-1]
		if kept.Held != r.BestLoss || kept.Training >= first.Training {
			t.Errorf("%s: kept %+v of pass %d, reported %g; the first pass left %+v", loss, kept, r.BestEpoch,
				r.BestLoss, first)
		}
	}
}

// A curve is short enough for a file, has the kept pass and the last, and nothing that JSON cannot write.
func TestReportCurveHasTheKeptPass(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 30, 100, 12000} {
		r := Report{BestEpoch: max(1, n*2/3)}
		for pass := 1; pass <= n; pass++ {
			r.History = append(r.History, Losses{pass, 1 / float64(pass), 1})
		}
		if n > 50 {
			r.History[4].Held, r.History[5].Training = math.Inf(1), math.NaN()
		}
		c := r.curve()
		kept := slices.ContainsFunc(c, func(l Losses) bool { return l.Pass == r.BestEpoch })
		ordered := slices.IsSortedFunc(c, func(a, b Losses) int { return a.Pass - b.Pass })
		if !kept || !ordered || len(c) > mostCurve+2 || len(c) < min(n, 50) || c[0].Pass != 1 || c[len(c)-1].Pass != n {
			t.Errorf("%d passes: a curve of %d, kept pass %v, ordered %v", n, len(c), kept, ordered)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Errorf("%d passes: %v", n, err)
		}
	}
}
