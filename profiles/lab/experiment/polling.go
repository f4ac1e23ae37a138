package experiment

import (
	"time"

	"jtune/internal/text"
)

// pollingEvery are the intervals between power readings that are compared, the usual one first.
var pollingEvery = []time.Duration{time.Second, 100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond}

// pollingMinibatches is enough to show a difference of a few thousandths.
const pollingMinibatches = 1000

func pollingName(every time.Duration) string { return "read every " + every.String() }

// planPolling runs the same work with free clocks at ever shorter intervals between power readings.
func planPolling(r Request, p *Plan) {
	for _, every := range pollingEvery {
		s := r.setting(pollingName(every))
		s.Settings.SampleEvery, s.Settings.DVFS, s.Settings.FixedWait = every, true, 5*time.Second
		if r.Minibatches == 0 {
			s.Settings.Minibatches = pollingMinibatches
		}
		p.Settings = append(p.Settings, s)
	}
}

func sayPolling(r *Report) (out text.Lines) {
	usual := lineKey{pollingName(pollingEvery[0]), ""}
	for _, every := range pollingEvery[1:] {
		if says := r.compared(readings, usual, lineKey{pollingName(every), ""}); says != "" {
			out.Add("Reading every %s in place of every %s: %s.", every, pollingEvery[0], says)
		}
	}
	return out
}
