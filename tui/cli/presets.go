package cli

import (
	"jtune/tegra"
	"jtune/tui/session"
)

// presetsFor gives the presets of the device that is open to us when it has
// the sampled modes; none otherwise.
func (a *app) presetsFor(samples session.Samples) []tegra.Preset {
	s, err := session.Open(a.options)
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, m := range samples.Measured {
		if !s.Device.Space().Contains(m.Mode) {
			return nil
		}
	}
	return s.Device.Presets()
}
