package tegra_test

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

func TestParseReadsEveryNotationOfAClock(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	want := must.Get(s.Parse("12c/1.65C/0.62G/3.20M"))(t)
	for _, text := range []string{"12c/1.65C/0.62G/3.19M", "12C/1.65c/0.62g/3.2m", "12c/1650MHz/620 mhz/3.2 GHz",
		"12c/1650/620/3199", "12c/1.65/0.62/3.2", "12c/1651200kHz/624750000/3199000000",
		" 12c / 1651200 / 624.75 / 3.2 "} {
		if m, err := s.Parse(text); err != nil || m != want {
			t.Errorf("%q reads as %s, %v", text, m, err)
		}
	}
	for text, word := range map[string]string{
		"12c/900kHz/0.62G/3.2M": "below 1 MHz", "12c/1650C/0.62G/3.2M": "100 GHz",
		"12c/1.65G/0.62G/3.2M": "not a positive number", "12c/0C/0.62G/3.2M": "not a positive number",
		"12c/1.65C/0.62G/1e": "not a positive number", "12c/0x1p3/0.62G/3.2M": "not a positive number",
		"13c/5C/0.62G/9M": "13 cores is not a setting of this device; nearest: 12; CPU 5.00 GHz is not a setting of " +
			"this device; nearest: 2.20 GHz; EMC 9.00 GHz is not",
	} {
		if m, err := s.Parse(text); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %s, %v; want %q", text, m, err, word)
		}
	}
}

func TestSelectTakesAModeOrAFilter(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	for text, want := range map[string]int{"12c/1.65C/0.62G/3.19M": 1,
		"cores=2,4,6 cpu=2.2016GHz gpu=0.62GHz,0.83GHz mem=3.2": 6} {
		if list, err := s.Select(text); err != nil || len(list) != want {
			t.Errorf("%q: %d modes, %v; want %d", text, len(list), err, want)
		}
	}
	for _, text := range []string{"", "12", "cores>12", "gpu=7", "cores=2,4,x"} {
		if list, err := s.Select(text); err == nil {
			t.Errorf("%q selects %d modes", text, len(list))
		}
	}
}

func FuzzSelect(f *testing.F) {
	s := orinSpace(f)
	for _, seed := range []string{"cores=2,4,6", "12c/1650MHz/620/3.2", "gpu=0.62GHz,0.83GHz mem>2", "1c/1e3/1e9/NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		list, err := s.Select(text)
		if err == nil && len(list) == 0 {
			t.Errorf("%q selects nothing", text)
		}
		for _, m := range list {
			if err == nil && !s.Contains(m) {
				t.Errorf("%q gives %v, which is not a mode", text, m)
			}
		}
	})
}
