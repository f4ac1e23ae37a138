package tegra

import (
	"maps"
	"testing"
	"time"

	"jtune/internal/tools/reliability"
)

// transStat is in the form that devfreq prints (drivers/devfreq/devfreq.c).
const transStat = `     From  :   To
           : 114750000 216750000 1300500000   time(ms)
  114750000:         0         3         9      1200
  216750000:         2         0         1        10
*1300500000:        10         0         0     88790
  918000000:
  900:  7
Total transition : 25
`

func TestTimesAtEachClockAreRead(t *testing.T) {
	want := map[Freq]time.Duration{
		1300500 * KHz: 88790 * time.Millisecond,
		216750 * KHz:  10 * time.Millisecond,
		114750 * KHz:  1200 * time.Millisecond,
	}
	if got := parseTransStat([]byte(transStat)); !maps.Equal(got, want) {
		t.Errorf("trans_stat gives %v, want %v", got, want)
	}
	want = map[Freq]time.Duration{115200 * KHz: 12340 * time.Millisecond, 2201600 * KHz: 0}
	if got := parseTimeInState([]byte("115200 1234\n2201600 0\n")); !maps.Equal(got, want) {
		t.Errorf("time_in_state gives %v, want %v", got, want)
	}
}

func TestStrangeClockTimesGiveNothing(t *testing.T) {
	for _, text := range []string{"", "Not Supported.\n", "\x00\xff:\x00", "115200", "115200 -1", "-5 7", "115200 x",
		"0 5",
		"99999999999999999999 1", "115200 99999999999999999999", "115200 9000000000000000000",
		"     From  :   To\n :  1 2 time(ms)\n", "a: b c\n", "7:", "Total transition : 25\n"} {
		if got := parseTimeInState([]byte(text)); len(got) != 0 {
			t.Errorf("time_in_state %q gives %v", text, got)
		}
		if got := parseTransStat([]byte(text)); len(got) != 0 {
			t.Errorf("trans_stat %q gives %v", text, got)
		}
	}
}

func FuzzClockTimes(f *testing.F) {
	f.Add([]byte(transStat))
	f.Add([]byte("115200 1234\n2201600 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		for _, times := range []map[Freq]time.Duration{parseTimeInState(text), parseTransStat(text)} {
			for freq, spent := range times {
				if freq <= 0 || freq > maxFreq || spent < 0 {
					t.Fatalf("%s for %s", freq, spent)
				}
			}
		}
	})
}
