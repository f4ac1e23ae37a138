package bundle

import "testing"

// What people write into a file of /etc may name their network.
func TestScrubberTakesAddressesOut(t *testing.T) {
	t.Parallel()
	s := &scrubber{}
	for text, want := range map[string]string{
		"# lab 192.168.1.17, gw 10.0.0.1.":          "# lab SCRUBBED, gw SCRUBBED.",
		"at (fe80::1ff:fe23:4567:890a)":             "at (SCRUBBED)",
		"2001:db8::1 and ::1":                       "SCRUBBED and SCRUBBED",
		"mac 48b02d1a2b3c":                          "mac SCRUBBED",
		"mac 48:B0:2D:1A:2B:3C":                     "mac SCRUBBED",
		"# R36 (release), REVISION: 4.3":            "# R36 (release), REVISION: 4.3",
		"GCID: 38968081, DATE: 12:30:45 UTC 2025":   "GCID: 38968081, DATE: 12:30:45 UTC 2025",
		"36.4.3-20250107174145":                     "36.4.3-20250107174145",
		"std::face a.b 1.5 0000:01:00.0 1300500000": "std::face a.b 1.5 0000:01:00.0 1300500000",
	} {
		if got := string(s.text("/etc/nv_tegra_release", []byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	const clock = "115200000000 17000000.gpu 5.15.148-tegra"
	if got := string(s.text("/sys/x", []byte(clock))); got != clock {
		t.Errorf("of the kernel: %q", got)
	}
}
