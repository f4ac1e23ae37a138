package csvlines

import (
	"slices"
	"testing"

	"jtune/tegra"
)

// thing has a field of each kind.
type thing struct {
	tegra.Mode `csv:""`
	T          float64            `csv:"t_s,.3"`
	Watts      tegra.Val[float64] `csv:"power_w"`
	Part       *part              `csv:"part_"`
	Tail       tegra.Val[part]    `csv:"tail_"`
}

type part struct {
	MS   float64 `csv:"ms"`
	Good bool    `csv:"good"`
	Why  string  `csv:"why"`
}

var columns = []string{"cores", "cpu_khz", "gpu_hz", "mem_hz", "t_s", "power_w", "other", "part_ms", "part_good",
	"part_why", "tail_ms", "tail_good"}

func TestCodecReadsWhatItPrints(t *testing.T) {
	t.Parallel()
	c := NewCodec[thing](columns)
	mode := tegra.Mode{Cores: 2, CPU: 729600 * tegra.KHz, GPU: 5, EMC: 6}
	for _, x := range []thing{
		{Mode: mode, T: 1.5},
		{Mode: mode, Watts: tegra.Some(0.0), Part: &part{MS: 2.25, Why: "a, b"}, Tail: tegra.Some(part{Good: true})},
	} {
		got, empty, err := c.Read(c.Print(&x))
		if err != nil || empty != nil || (got.Part == nil) != (x.Part == nil) || x.Part != nil && *got.Part != *x.Part {
			t.Fatalf("%+v, %q, %v", got, empty, err)
		}
		if got.Part, x.Part = nil, nil; got != x {
			t.Errorf("%+v, want %+v", got, x)
		}
	}
	want := []string{"2", "729600", "5", "6", "1.500", "", "", "", "", "", "", ""}
	if got := c.Print(&thing{Mode: mode, T: 1.5}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The column that cannot be read is named; the first of several. So are those without a value.
func TestCodecNamesTheColumn(t *testing.T) {
	t.Parallel()
	c := NewCodec[thing](columns[:9])
	for _, x := range []struct {
		line  []string
		fault string
		empty []string
	}{
		{[]string{"1", "2", "3", "4", "5", "", "x", "", ""}, "", nil},
		{[]string{"1", "2", "3", "4", "5", "0", "", "6", "true"}, "", nil},
		{[]string{"1", "2", "", "4", "", "0", "", "", "true"}, "", []string{"gpu_hz", "t_s", "part_ms"}},
		{[]string{"1", "-2", "y", "4", "5", "", "", "", ""}, "cpu_khz cannot be read", nil},
		{[]string{"1", "2", "3", "4", "NaN", "", "", "", ""}, "t_s cannot be read", nil},
		{[]string{"1", "2", "3", "4", "5", "+Inf", "", "", ""}, "power_w cannot be read", nil},
		{[]string{"1", "2", "3"}, "3 fields, want 9", nil},
	} {
		_, empty, err := c.Read(x.line)
		if err == nil && x.fault != "" || err != nil && err.Error() != x.fault || !slices.Equal(empty, x.empty) {
			t.Errorf("%q: %v, %q", x.line, err, empty)
		}
	}
	if w := NewCodec[thing](columns[:4]); !c.Whole() || w.Whole() {
		t.Error("a file is whole with all columns that a line needs, and only then")
	}
}
