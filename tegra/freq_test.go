package tegra_test

import (
	"testing"

	"jtune/tegra"
)

func TestAFrequencyPrintsInTheLargestFittingUnit(t *testing.T) {
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

func TestAFrequencyIsReadWithAnyUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tegra.Freq{
		"1.30 GHz": 1300 * tegra.MHz, "1300MHz": 1300 * tegra.MHz, "729600 kHz": 729600 * tegra.KHz, "1300500000": 1300500000,
		" 1.3ghz ": 1300 * tegra.MHz, "0": 0, "115200KHZ": 115200 * tegra.KHz, "5 hz": 5,
	} {
		got, err := tegra.ParseFreq(text)
		if err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, int64(got), err, int64(want))
		}
	}
}

func TestWhatIsNoFrequencyIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "GHz", "fast", "-1 GHz", "NaN", "inf", "1e99 GHz", "101 GHz", "0x10", "1_000", "1.3 THz", "1 2 MHz"} {
		if got, err := tegra.ParseFreq(text); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func FuzzParseFreq(f *testing.F) {
	for _, seed := range []string{"1.30 GHz", "1300MHz", "12 kHz", "7", "NaN", "1e9", "-0", "∞GHz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := tegra.ParseFreq(text)
		if err != nil {
			return
		}
		if q < 0 || q > 100*tegra.GHz {
			t.Errorf("%q gives %d", text, int64(q))
		}
		again, err := tegra.ParseFreq(q.String())
		if err != nil {
			t.Fatalf("%q prints %q: %v", text, q, err)
		}
		if d := again - q; d > q/100+tegra.KHz || -d > q/100+tegra.KHz {
			t.Errorf("%q prints %q, which reads as %d", text, q, int64(again))
		}
	})
}
