package learn

import (
	"context"

	"jtune/learn/nn"
	"jtune/tegra"
)

// networks is PowerTrain's predictor, transferred or trained from nothing.
type networks struct{ pair nn.Pair }

func (n networks) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	return n.pair.Predict(modes)
}

// fitNetworks trains the networks, or transfers the reference's.
func (t *teacher) fitNetworks(ctx context.Context, samples []tegra.Measured) (pointPredictor, error) {
	learn, c := nn.TrainPair, nn.FromScratch()
	if t.network != nil {
		learn, c = t.network.Transfer, nn.ForTransfer()
	}
	if t.options.Network != nil {
		c = *t.options.Network
	}
	c.Seed = t.options.Seed
	pair, err := learn(ctx, samples, c)
	return networks{pair}, err
}
