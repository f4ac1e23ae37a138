package telemetry

import (
	"strings"
	"testing"
	"time"
)

const statTail = " S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 8 0 100"

func TestParseStat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		want       int64
		bad        bool
	}{
		{name: "user and system time are added", line: "42 (jtune)" + statTail, want: 300},
		{name: "a name with spaces and parentheses", line: "42 (a) b (c)" + statTail, want: 300},
		{name: "no command", line: "42 jtune S 1", bad: true},
		{name: "cut short", line: "42 (jtune) S 1 2 3", bad: true},
		{name: "no number", line: "42 (x)" + strings.Replace(statTail, "250", "lots", 1), bad: true},
		{name: "negative", line: "42 (x)" + strings.Replace(statTail, "50 0", "-50 0", 1), bad: true},
		{name: "empty", line: "", bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStat(c.line)
			if (err != nil) != c.bad || got != c.want {
				t.Errorf("got %d, %v; want %d, error %v", got, err, c.want, c.bad)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("42 (jtune)" + statTail)
	f.Add("1 (((")
	f.Fuzz(func(t *testing.T, line string) {
		if ticks, err := parseStat(line); err != nil && ticks != 0 {
			t.Errorf("%d ticks with error %v", ticks, err)
		}
	})
}

func TestSelfSeesItsOwnWork(t *testing.T) {
	t.Parallel()
	s := NewSelf()
	if !s.ok {
		t.Skip("no /proc/self/stat here")
	}
	for end := time.Now().Add(60 * time.Millisecond); time.Now().Before(end); {
	}
	got := s.CPUPct()
	if !got.OK || got.V < 0 {
		t.Errorf("got %+v, want a share of 0 or more", got)
	}
}
