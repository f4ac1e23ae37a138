package outlook

import (
	"errors"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// The choice among some settings is one of them, and says so where none meets the limit.
func TestChooseAmongSomeIsOneOfThem(t *testing.T) {
	t.Parallel()
	o := lineOutlook(t) // 40 W down to 29 W
	slow := []int{9, 10, 11}
	at, err := o.choose(metric.Watts(38), slow)
	if err != nil || at != 9 {
		t.Errorf("within 38 W among %v: %d, %v; want 9", slow, at, err)
	}
	at, err = o.choose(metric.Watts(5), slow)
	if !errors.Is(err, optimize.ErrInfeasible) || at != 11 {
		t.Errorf("within 5 W among %v: %d, %v; want the nearest, and that none meets it", slow, at, err)
	}
}

// A space without its own top mode is not compared with MAXN.
func TestCompareNamesMAXNWhereTheSpaceHasIt(t *testing.T) {
	t.Parallel()
	o := lineOutlook(t)
	if v := o.Compare(3, nil, tegra.Setup{}); v.MaxN == nil || v.MaxN.Other.Mode != o.Space().Max() {
		t.Errorf("MAXN %+v", v.MaxN)
	}
	clocks := []tegra.Freq{tegra.GHz, 2 * tegra.GHz}
	at := func(cpu, gpu int) tegra.Mode {
		return tegra.Mode{Cores: 4, CPU: clocks[cpu], GPU: clocks[gpu], EMC: tegra.GHz}
	}
	some := must.Get(tegra.NewSubspace([]tegra.Mode{at(0, 1), at(1, 0)}))(t)
	chosen := (line{}).Predict(some.Modes())[0]
	if v := Compare(chosen, line{}, nil, some, nil, tegra.Setup{}); v.MaxN != nil {
		t.Errorf("%v is compared with, which the space does not have", v.MaxN.Other.Mode)
	}
}
