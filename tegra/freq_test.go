package tegra_test

import (
	"testing"

	"jtune/tegra"
)

func TestFreqPrintsInTheLargestFittingUnit(t *testing.T) {
	t.Parallel()
	for f, want := range map[tegra.Freq]string{
		0: "0 Hz", 999: "999 Hz", 12 * tegra.KHz: "12 kHz", 729600 * tegra.KHz: "729.6 MHz", 114750000: "114.75 MHz",
		665600000: "665.6 MHz", 1300500000: "1.30 GHz", 3199 * tegra.MHz: "3.20 GHz", 2201600 * tegra.KHz: "2.20 GHz",
	} {
		if got := f.String(); got != want {
			t.Errorf("%d prints %q, want %q", int64(f), got, want)
		}
	}
}
