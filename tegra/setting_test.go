package tegra

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func settingRows(batches ...int) []Measured {
	rows := make([]Measured, len(batches))
	for i, b := range batches {
		rows[i] = Measured{Setting: Setting{Mode: Mode{Cores: 4}, Batch: b}, TimeMS: float64(10 * (i + 1)), PowerW: 20}
	}
	return rows
}

func TestOfOwnTakesOneBatchSizeForTheJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		batches []int
		want    []int // sizes
		rows    []int // batch sizes of the rows
	}{
		{"no rows", nil, Own, nil},
		{"no size", []int{0, 0}, Own, []int{0, 0}},
		{"one size", []int{8, 8}, Own, []int{0, 0}},
		{"several sizes", []int{8, 1, 8}, []int{1, 8}, []int{8, 1, 8}},
	} {
		given := settingRows(c.batches...)
		rows := OfOwn(given)
		sizes := BatchSizes(SettingsOf(rows))
		var got []int
		for _, r := range rows {
			got = append(got, r.Batch)
		}
		if d := cmp.Diff(c.want, sizes) + cmp.Diff(c.rows, got) + cmp.Diff(settingRows(c.batches...), given); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestOncePerSettingIsTheMedianOfItsRepeats(t *testing.T) {
	t.Parallel()
	rows := settingRows(8, 1, 8, 8)
	rows[1].PowerW = math.NaN()
	got := OncePerSetting(rows)
	if len(got) != 2 || got[0].Batch != 8 || got[0].TimeMS != 30 || got[0].PowerW != 20 {
		t.Errorf("got %+v, want batch size 8 first with its median of 30 ms", got)
	}
	if got[1].TimeMS != 20 || got[1].HasPower() {
		t.Errorf("got %+v, want 20 ms without power", got[1])
	}
}
