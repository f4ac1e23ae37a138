package virtual

import (
	"fmt"
	"strings"
	"time"

	"jtune/tegra"
)

// clockTimes is the time spent at each clock step.
type clockTimes struct {
	policy []map[tegra.Freq]time.Duration
	gpu    map[tegra.Freq]time.Duration
}

func newClockTimes(policies int) clockTimes {
	t := clockTimes{gpu: map[tegra.Freq]time.Duration{}}
	for range policies {
		t.policy = append(t.policy, map[tegra.Freq]time.Duration{})
	}
	return t
}

func (b *Board) countClocks(dt time.Duration) {
	for p, spent := range b.spent.policy {
		if b.knobs.policyOnline(p) {
			burst := dt
			if s := b.steady.scaling; s.low != nil {
				burst = time.Duration(s.burst * float64(dt))
				spent[min(s.low[p], b.topClock(p))] += dt - burst
			}
			spent[b.topClock(p)] += burst
		}
	}
	b.spent.gpu[b.gpuClock()] += dt
}

// timeInState prints cpufreq's stats/time_in_state: kHz and ticks of 10 ms.
func timeInState(list []tegra.Freq, spent map[tegra.Freq]time.Duration) string {
	var out strings.Builder
	for _, f := range list {
		fmt.Fprintf(&out, "%d %d\n", f.KHz(), spent[f]/(10*time.Millisecond))
	}
	return out.String()
}

// transStat prints devfreq's trans_stat without the transitions, which the board does not count: Hz and ms.
func transStat(list []tegra.Freq, now tegra.Freq, spent map[tegra.Freq]time.Duration) string {
	var out strings.Builder
	none := strings.Repeat(fmt.Sprintf("%10d", 0), len(list))
	out.WriteString("     From  :   To\n           :")
	for _, f := range list {
		fmt.Fprintf(&out, "%10d", int64(f))
	}
	out.WriteString("   time(ms)\n")
	for _, f := range list {
		mark := " "
		if f == now {
			mark = "*"
		}
		fmt.Fprintf(&out, "%s%10d:%s%10d\n", mark, int64(f), none, spent[f].Milliseconds())
	}
	out.WriteString("Total transition : 0\n")
	return out.String()
}
