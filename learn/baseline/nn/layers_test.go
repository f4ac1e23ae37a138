package nn

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestLayersCountTheirWeights(t *testing.T) {
	t.Parallel()
	if n := PaperLayers().Weights(); n != 42497 { // 4·256+256 + 256·128+128 + 128·64+64 + 64+1
		t.Errorf("the paper's layers have %d weights", n)
	}
	if n := (Layers{8}).Weights(); n != 4*8+8+8+1 {
		t.Errorf("a layer of 8 has %d weights", n)
	}
}

func TestLayersOfANetworkAreKeptInItsFile(t *testing.T) {
	t.Parallel()
	c := brief
	c.Layers = Layers{64, 8}
	n := mustTrain(t, board(40, 1, 1), c)
	data := must.Get(n.MarshalBinary())(t)
	var got Net
	must.NoError(t, got.UnmarshalBinary(data))
	if want := []int{inputs, 64, 8, 1}; !slices.Equal(got.Layers(), want) || got.Config != n.Config {
		t.Errorf("layers %v, want %v; settings %+v, want %+v", got.Layers(), want, got.Config, n.Config)
	}
	x, _ := columns(board(20, 2, 1), timeMS)
	if !slices.Equal(got.Predict(x), n.Predict(x)) {
		t.Error("the network that was read predicts otherwise")
	}
}

// Files of networks with the paper's layers are as they were before layers could be set.
func TestLayersOfThePaperAreNoSettingInAFile(t *testing.T) {
	t.Parallel()
	data := must.Get(trainedOnHundred(t).MarshalBinary())(t)
	if !bytes.Contains(data, []byte(`{"layers":[4,256,128,64,1],"weights"`)) ||
		bytes.Contains(data, []byte(`"config":{"layers"`)) {
		t.Errorf("header %.120q", data[fixedBytes:])
	}
	for name, shipped := range map[string]*Net{"time": loadShipped().pair.Time, "power": loadShipped().pair.Power} {
		if shipped.Config.Layers != PaperLayers() {
			t.Errorf("the shipped %s network has the layers %s", name, shipped.Config.Layers)
		}
	}
}

func TestLayersOfATransferAreThoseOfItsReference(t *testing.T) {
	t.Parallel()
	c := brief
	c.Layers = Layers{24, 16}
	reference := mustTrain(t, board(60, 1, 1), c)
	if next := mustTransfer(t, reference, board(40, 2, 2), brief); next.Config.Layers != c.Layers {
		t.Errorf("without a wish the transfer has %s, the reference %s", next.Config.Layers, c.Layers)
	}
	if next := mustTransfer(t, reference, board(40, 2, 2), c); next.Config.Layers != c.Layers {
		t.Errorf("the transfer has %s, the reference %s", next.Config.Layers, c.Layers)
	}
	x, y := columns(board(40, 2, 2), timeMS)
	c.Layers = Layers{16, 24}
	_, err := reference.Transfer(t.Context(), x, y, c)
	if err == nil || !strings.Contains(err.Error(), "24,16") || !strings.Contains(err.Error(), "16,24") {
		t.Errorf("got %v, want an error that names both", err)
	}
}

// Targets are standardised, so the loss of an untrained network is 1.
func TestLayersOfAnyShapeLearn(t *testing.T) {
	t.Parallel()
	for _, l := range append([]Layers{{64, 32}}, otherLayers[:3]...) {
		c := brief
		c.Layers, c.Dropout = l, -1
		if n := mustTrain(t, board(60, 1, 1), c); !(n.Report.BestLoss < 0.2) || len(n.w.all) != l.Weights() {
			t.Errorf("layers %s: %d weights, loss %g", l, len(n.w.all), n.Report.BestLoss)
		}
	}
}

func TestLayersAreAListInJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(Config{Layers: Layers{64, 8}})
	if err != nil || !bytes.Contains(text, []byte(`"layers":[64,8]`)) {
		t.Errorf("%s, %v", text, err)
	}
	text, err = json.Marshal(Config{})
	if err != nil || bytes.Contains(text, []byte("layers")) {
		t.Errorf("%s, %v", text, err)
	}
}
