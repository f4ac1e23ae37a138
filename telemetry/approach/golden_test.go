package approach

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
)

var update = flag.Bool("update", false, "write the golden file")

// The fits of eight curves, at several times each, to the digits that are shown and two more: any other number in the
// file is a change of the method, and the bars of the boards' test then say whether it is a better one.
func TestGoldenFits(t *testing.T) {
	t.Parallel()
	scatter := func(i int) float64 { return 0.1 * math.Sin(float64(i*i)) } // no two alike
	curves := []struct {
		name  string
		every time.Duration
		fan   func(s float64) float64 // nil: none
		c     func(s float64, i int) float64
	}{
		{"rises", time.Second, nil, func(s float64, i int) float64 { return 70 - 30*math.Exp(-s/300) + scatter(i) }},
		{"rises with a fan that follows", 2 * time.Second, func(s float64) float64 { return 0.7 * math.Exp(-s/200) },
			func(s float64, i int) float64 { return 66 - 28*math.Exp(-s/150) + scatter(i) }},
		{"rises with a fan that stands", time.Second, func(float64) float64 { return 0.4 },
			func(s float64, i int) float64 { return 80 - 40*math.Exp(-s/600) + scatter(i) }},
		{"falls", time.Second, nil, func(s float64, i int) float64 { return 40 + 25*math.Exp(-s/200) + scatter(i) }},
		{"stands", time.Second, nil, func(s float64, i int) float64 { return 55 + scatter(i) }},
		{"drifts", time.Second, nil, func(s float64, i int) float64 { return 55 + s/1200 + scatter(i) }},
		{"stands but for a bump", time.Second, nil, func(s float64, i int) float64 {
			if s > 1000 && s < 1060 {
				return 57 + scatter(i)
			}
			return 55 + scatter(i)
		}},
		{"steps up after standing", time.Second, nil, func(s float64, i int) float64 {
			return 55 + 0.9*max(0, min(1, s-500)) + scatter(i)
		}},
	}
	var out strings.Builder
	for _, k := range curves {
		var c Curve
		next := []float64{89, 91, 120, 300, 329, 331, 333, 334, 335, 339, 600, 805, 1200, 1250, 2000, 4000}
		for i := 0; len(next) > 0; i++ {
			at := time.Duration(i) * k.every
			s := at.Seconds()
			if k.fan != nil {
				c.Fan(k.fan(s))
			}
			c.Add(at, k.c(s, i))
			if s < next[0] {
				continue
			}
			next = next[1:]
			if f, ok := c.Fit(); ok {
				fmt.Fprintf(&out, "%s, %4.0f s: %.3f °C (%.3f to %.3f), τ %.1f s, in %.1f s, reached %v\n", k.name, s,
					f.EndC, f.LoC, f.HiC, f.Tau.Seconds(), f.In.Seconds(), f.Reached)
			} else {
				fmt.Fprintf(&out, "%s, %4.0f s: too early\n", k.name, s)
			}
		}
	}
	const file = "testdata/fits.golden"
	if *update {
		must.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
	want := must.Read(t, file)
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A minute of the curve and four intervals with readings are the least; where readings are rare a minute is not enough.
func TestFitNeedsFourIntervals(t *testing.T) {
	t.Parallel()
	var c Curve
	for i := range 6 {
		c.Add(settling+time.Duration(i)*30*time.Second, 50+float64(i))
		if _, ok := c.Fit(); ok != (i >= 3) {
			t.Errorf("after %d readings over %d s a fit is there: %v", i+1, 30*i, ok)
		}
	}
}
