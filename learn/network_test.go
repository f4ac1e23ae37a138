package learn

import (
	"testing"

	"jtune/learn/nn"
)

func TestTheNetworksSettingsAreTheCallers(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	brief := nn.Config{Epochs: 2, MinSteps: -1, Loss: nn.MAPE, Freeze: true, Seed: 9}
	for _, method := range []Method{PowerTrain, NN} {
		m, err := Fit(samples, Options{Method: method, Space: space, Network: &brief, Seed: 3, SkipCV: true})
		if err != nil {
			t.Fatal(err)
		}
		c := m.predictor.(*banded).points.(networks).pair.Time.Config
		if c.Loss != nn.MAPE || !c.Freeze || c.Epochs != 2 || c.Seed != 3 {
			t.Errorf("%s: trained with %+v", method, c)
		}
		sane(t, m.Predict(space.Modes()))
	}
	bad := nn.Config{Dropout: 2}
	if _, err := Fit(samples, Options{Method: NN, Space: space, Network: &bad}); err == nil {
		t.Error("a dropout of 2 was accepted")
	}
}
