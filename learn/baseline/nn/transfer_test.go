package nn

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/must"
)

func TestTransferOfEqualSeedsGivesEqualNetworks(t *testing.T) {
	t.Parallel()
	samples := board(60, 1, 1)
	a, b := mustTrain(t, samples, brief), mustTrain(t, samples, brief)
	if !slices.Equal(a.w.all, b.w.all) {
		t.Error("two trainings with one seed differ")
	}
	other := brief
	other.Seed++
	if slices.Equal(a.w.all, mustTrain(t, samples, other).w.all) {
		t.Error("another seed gave the same network")
	}
	if !slices.Equal(mustTransfer(t, a, samples, brief).w.all, mustTransfer(t, b, samples, brief).w.all) {
		t.Error("two transfers with one seed differ")
	}
}

// amd64 rounds after every multiplication, arm64 fuses it with the addition:
// the two differed by 2e-7 after these trainings (arm64 under qemu).
func TestTrainIsAlikeOnEveryMachine(t *testing.T) {
	t.Parallel()
	n := trainedOnHundred(t)
	next := mustTransfer(t, n, board(40, 2, 3), brief)
	x, _ := columns(board(3, 3, 3), timeMS)
	for _, c := range []struct {
		name      string
		got, want []float64 // as on amd64
	}{
		{"training", n.Predict(x), []float64{74.507118, 23.734479, 23.235523}},
		{"transfer", next.Predict(x), []float64{300.077234, 69.330846, 76.157504}},
	} {
		for i, got := range c.got {
			if math.Abs(got-c.want[i]) > 1e-4*c.want[i] {
				t.Errorf("%s, row %d: got %.6f, want %.6f within 0.01 %%", c.name, i, got, c.want[i])
			}
		}
	}
}

func TestTransferKeepsTheInputScalerAndRenewsTheTargetScaler(t *testing.T) {
	t.Parallel()
	reference := trainedOnHundred(t)
	before := slices.Clone(reference.w.all)
	other := board(40, 2, 9) // nine times slower, other modes
	next := mustTransfer(t, reference, other, brief)
	if next.in != reference.in {
		t.Errorf("input Scaler changed: %v, want %v", next.in, reference.in)
	}
	if ratio := next.target.Mean / reference.target.Mean; ratio < 5 {
		t.Errorf("target scaler's mean is %.1f times the reference's, want about nine", ratio)
	}
	if !slices.Equal(reference.w.all, before) {
		t.Error("the transfer changed the reference")
	}
	if slices.Equal(next.w.w[0], reference.w.w[0]) {
		t.Error("the body did not train")
	}
}

func TestTransferStartsFromTheBodyAndAFreshLastLayer(t *testing.T) {
	t.Parallel()
	reference := trainedOnHundred(t)
	// One step this small moves no weight by more than 2e-6.
	still := Config{Epochs: 1, MinSteps: -1, LearnRate: 1e-6, Seed: 3}
	next := mustTransfer(t, reference, board(40, 2, 2), still)
	for i, w := range next.w.all[:next.w.lastLayer()] {
		if math.Abs(float64(w-reference.w.all[i])) > 2e-6 {
			t.Fatalf("weight %d of the body began at %g, want the reference's %g", i, w, reference.w.all[i])
		}
	}
	var moved float64
	last := next.w.w[next.w.hidden()]
	for i, w := range last {
		moved += math.Abs(float64(w - reference.w.w[next.w.hidden()][i]))
	}
	if moved /= float64(len(last)); moved < 0.05 { // uniform within ±0.3
		t.Errorf("the last layer differs by %.4f a weight: not drawn again", moved)
	}
}

func TestFreezeTrainsOnlyTheLastLayer(t *testing.T) {
	t.Parallel()
	reference, frozen := trainedOnHundred(t), brief
	frozen.Freeze = true
	next := mustTransfer(t, reference, board(40, 2, 2), frozen)
	if body := next.w.lastLayer(); !slices.Equal(next.w.all[:body], reference.w.all[:body]) {
		t.Error("the frozen body changed")
	}
	fresh := newParams(PaperLayers())
	fresh.drawLast(newTraining(next).rand)
	if last := next.w.hidden(); slices.Equal(next.w.w[last], fresh.w[last]) {
		t.Error("the last layer did not train")
	}
}

func TestPairLearnsTimeAndPower(t *testing.T) {
	t.Parallel()
	c := brief
	c.Epochs = 60
	if testing.Short() { // enough for both networks to train at the same time
		c.Epochs = 3
	}
	reference := must.Get(TrainPair(t.Context(), Medians(board(400, 1, 1)), c))(t)
	next := must.Get(reference.Transfer(t.Context(), Medians(board(60, 2, 3)), c))(t)
	for _, p := range []struct {
		name string
		pair Pair
		slow float64
	}{{"reference", reference, 1}, {"transfer", next, 3}} {
		timePct, powerPct := score(p.pair, board(300, 9, p.slow))
		if !testing.Short() && (timePct > 25 || powerPct > 15) || !(timePct < 100) || !(powerPct < 100) {
			t.Errorf("%s: errors %.1f / %.1f %%, want below 25 / 15", p.name, timePct, powerPct)
		}
	}
	if slices.Equal(reference.Time.w.all, reference.Power.w.all) {
		t.Error("both networks are the same")
	}
}
