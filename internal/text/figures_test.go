package text

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCountsHaveCommas(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 modes", 1: "1 mode", 12: "12 modes", 999: "999 modes",
		1000: "1,000 modes", 18096: "18,096 modes", 1234567: "1,234,567 modes", -375000: "-375,000 modes",
		-100: "-100 modes"} {
		if got := Count(n, "mode"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Count(105_296, "minibatch"); got != "105,296 minibatches" {
		t.Errorf("got %q", got)
	}
}

func TestFiguresAtALimitShowWhetherTheyAreOverIt(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{30: "30", 30.02: "30.02", 999.96: "1000",
		21462.4: "21462", 100_000: "100000", 0.95: "0.95"} {
		if got := Exact(v); got != want {
			t.Errorf("%g: got %q, want %q", v, got, want)
		}
	}
}

func TestFiguresHaveThreeDigits(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.012345: "0.0123", 2.5899: "2.59", 58.87: "58.9", 129.04: "129.0",
		17503.1: "17503", math.Inf(1): "–"} {
		if got := Of(v); got != want {
			t.Errorf("%g: got %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{1.234: "~1.23", 22.34: "~22.3", 294.7: "~295", 1503: "~1503"} {
		if got := About(v); got != want {
			t.Errorf("predicted %g: got %q, want %q", v, got, want)
		}
	}
	if got := Of(math.NaN()); got != "–" {
		t.Errorf("NaN: got %q", got)
	}
}

func TestPlainLeavesNothingThatCommandsATerminal(t *testing.T) {
	t.Parallel()
	hostile := "a\x1b]52;c;ZXZpbA==\a b\u009b2J c\x7f d\u202ee\u2028f\r\xff\tg\nü≥"
	want := "a]52;c;ZXZpbA== b2J c def?\tg\nü≥"
	if got := Plain(hostile); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Clip("\x1b[31m" + strings.Repeat("x", 100)); strings.Contains(got, "\x1b") || len(got) > longestQuote+5 {
		t.Errorf("clipped: %q", got)
	}
	if got := OneLine(hostile); strings.ContainsAny(got, "\x1b\n\r\t\u009b\u202e") {
		t.Errorf("one line: %q", got)
	}
}

// TestPlainWriterCutAnywhere writes a text in two parts, split at every byte.
func TestPlainWriterCutAnywhere(t *testing.T) {
	t.Parallel()
	const whole = "µ\x1b[2J ≥\u009bü\r😀 end\n"
	for cut := range len(whole) + 1 {
		for returns, want := range map[bool]string{false: "µ[2J ≥ü😀 end\n", true: "µ[2J ≥ü\r😀 end\n"} {
			var out bytes.Buffer
			w := &PlainWriter{To: &out, Returns: returns}
			for _, part := range []string{whole[:cut], whole[cut:]} {
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
			}
			if out.String() != want {
				t.Errorf("cut at %d: %q, want %q", cut, out.String(), want)
			}
		}
	}
}

func TestBinaryIsWhatHoldsManyUnprintableCharacters(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"": false, "step 5/10 größe 98 %": false, "\x1b[32mstep 5\x1b[0m\r": false, "a\x00b": true,
		"\xff\xfe\x01 rate 5/s \x80\x81": true, "one \x00 in many characters": false,
	} {
		if got := Binary([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestPlainWriterBreaksLinesAtTheTerminalsWidth(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"short\n\nlines\n", "short\n\nlines\n"},
		{"peak 48.9 W, fell by 12 % of it\n", "peak 48.9 W, fell by\n12 % of it\n"},
		{"0.2s  7.89 W  CPU 12/12 on  GPU 0 %\n", "0.2s  7.89 W\n  CPU 12/12 on\n  GPU 0 %\n"},
		{"- what follows from it all\n", "- what follows from\n  it all\n"},
		{"in /a/path/that/is/longer/than/it by\n", "in\n/a/path/that/is/longer/than/it\nby\n"},
	} {
		var out strings.Builder
		w := &PlainWriter{To: &out, Width: func() int { return 20 }}
		if _, err := w.Write([]byte(c[0])); err != nil || out.String() != c[1] {
			t.Errorf("got %q, want %q: %v", out.String(), c[1], err)
		}
	}
}
