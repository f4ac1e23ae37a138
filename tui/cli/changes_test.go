package cli

import (
	"regexp"
	"strings"
	"testing"
)

// Chances, bands and errors are no changes.
var (
	aChange  = regexp.MustCompile(`[0-9] ?%|[0-9]×`)
	noChange = regexp.MustCompile(`[0-9.]+ % (sure|chance|bands?)|95 %|[0-9]× read|known to [0-9.]+ %, power to [0-9.]+ %|` +
		`error .* is [0-9.]+ % of time and [0-9.]+ % of power`)
	itsObject = regexp.MustCompile(`faster|slower|as long as|as fast as|samples per second|time|power|energy`)
	itsOther  = regexp.MustCompile(` than \S| as (long|fast) as \S|× the .* of \S|against \S|difference .* to \S|since \S`)
)

// unsaid reports whether a line has a change, but not of what or against what.
func unsaid(line string) (change, lacks bool) {
	change = aChange.MatchString(noChange.ReplaceAllString(line, ""))
	return change, change && !(itsObject.MatchString(line) && itsOther.MatchString(line))
}

func TestTuneAndReportSayAgainstWhatAChangeIs(t *testing.T) {
	t.Parallel()
	data, tuned := measured(t)
	run := func(args ...string) string {
		t.Helper()
		if args[0] == "tune" {
			return tuned.out
		}
		return jtune(t, with(smallBoard, append(args, "--data-dir", data)...)...).out
	}
	for _, bad := range []string{"MODE_15W  time +94…+333 %  power -43…-20 %", "645 % more", "8× today's"} {
		if _, lacks := unsaid(bad); !lacks {
			t.Errorf("%q passes", bad)
		}
	}
	seen := map[string]int{}
	for _, c := range [][]string{
		{"tune"},
		{"ask", "choose", "--model", "mobilenet", "--power-limit", "8"},
		{"ask", "choose", "--model", "mobilenet", "--time-limit", "500"},
		{"verify"},
		{"report", "--md", "--out", "-"},
		{"campaigns"},
	} {
		for line := range strings.Lines(run(c...)) {
			change, lacks := unsaid(line)
			if change {
				seen[c[0]]++
			}
			if lacks {
				t.Errorf("%v: %q", c, line)
			}
		}
	}
	if seen["tune"] < 1 || seen["ask"] < 2 || seen["verify"] < 1 || seen["report"] < 1 {
		t.Errorf("too few changes were read: %v", seen)
	}
}
