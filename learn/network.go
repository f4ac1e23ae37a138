package learn

import (
	"jtune/learn/nn"
	"jtune/tegra"
)

// networks is PowerTrain's predictor, transferred or trained from nothing.
type networks struct{ pair nn.Pair }

func (n networks) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	return n.pair.Predict(modes)
}

// fitNetworks trains the networks, or transfers the reference's.
func (t *teacher) fitNetworks(samples []tegra.Measured) (pointPredictor, error) {
	if t.network != nil {
		pair, err := t.network.Transfer(samples, nn.Config{Seed: t.options.Seed})
		return networks{pair}, err
	}
	c := nn.FromScratch()
	c.Seed = t.options.Seed
	pair, err := nn.TrainPair(samples, c)
	return networks{pair}, err
}
