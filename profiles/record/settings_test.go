package record

import (
	"reflect"
	"testing"
	"time"
)

// A resumed campaign measures as it began: open settings come from the first start, given ones stay.
func TestSettingsOverTakesWhatIsLeftOpen(t *testing.T) {
	t.Parallel()
	var earlier, other Settings
	for _, s := range []*Settings{&earlier, &other} {
		v := reflect.ValueOf(s).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Float64:
				f.SetFloat(0.01 * float64(i+1))
			default:
				f.SetInt(int64(i + 1))
			}
			if s == &other && v.Field(i).CanInt() {
				v.Field(i).SetInt(int64(i + 100))
			}
		}
	}
	got, want := Settings{}.Over(earlier), earlier
	want.Silence, want.Epochs, want.Base = 0, 0, 0 // of the job, and of this run alone
	if got != want {
		t.Errorf("of an empty one %+v, want %+v", got, want)
	}
	if got := other.Over(earlier); got != other {
		t.Errorf("what was given changed from %+v to %+v", other, got)
	}
}

func TestSettingsCostOfAModeFollowsItsMinibatches(t *testing.T) {
	t.Parallel()
	s := Settings{Minibatches: 40, MinSamples: 3, SampleEvery: time.Second, FixedWait: 20 * time.Second}
	for _, c := range []struct {
		name   string
		s      Settings
		lo, hi float64 // ms a minibatch
		from   time.Duration
		to     time.Duration
	}{
		{"as long as its minibatches", s, 100, 500, 24 * time.Second, 60 * time.Second},
		{"as long as its samples at least", s, 1, 1, 23 * time.Second, 43 * time.Second},
		{"as long as a mode may take at most", Settings{Minibatches: 40, MinSamples: 3, SampleEvery: time.Second,
			FixedWait: 20 * time.Second, ModeTimeout: time.Minute}, 100, 1e6, 24 * time.Second, 100 * time.Second},
		{"until patience ends", Settings{Minibatches: 40, MinSamples: 3, SampleEvery: time.Second,
			FixedWait: 20 * time.Second, Patience: 10 * time.Second}, 500, 500, 30 * time.Second, 50 * time.Second},
		{"ten of a slow mode", Settings{Minibatches: 40, MinSamples: 3, SampleEvery: time.Second,
			FixedWait: 20 * time.Second, Patience: 10 * time.Second}, 2000, 2000, 40 * time.Second, 60 * time.Second},
	} {
		if from, to := c.s.CostOf(c.lo, c.hi); from != c.from || to != c.to {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, from, to, c.from, c.to)
		}
	}
}
