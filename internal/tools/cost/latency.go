package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"jtune/internal/tools/terminal"
)

// latency is the time until keys are answered on the screen.
type latency struct {
	what  string
	times []time.Duration // sorted
}

func (l latency) median() time.Duration { return l.times[len(l.times)/2] }
func (l latency) most() time.Duration   { return l.times[len(l.times)-1] }

var (
	limitShown = regexp.MustCompile(`limit\s+[\d.]+ W`)
	modeShown  = regexp.MustCompile(`\d+c/[\d.]+C/[\d.]+G/[\d.]+M`)
)

// questions are pairs of keys that undo each other, each with a part of the screen that only they change.
var questions = []struct {
	what, there, back string
	part              func(screen string) string
}{
	{"Front: the limit moves", "]", "[", limitShown.FindString},
	{"Front: along the front", "\x1b[C", "\x1b[D", modeShown.FindString},
	{"Live to Front and back", "1", "5", func(screen string) string { return limitShown.FindString(screen) }},
	{"Front: help", "?", "\x1b", func(screen string) string { return fmt.Sprint(strings.Contains(screen, "close")) }},
}

// lastRow moves up from the Tune dialog's second row, the limit, where the cursor starts: above the first row is the
// last.
const lastRow = "\x1b[A\x1b[A"

// latencies presses keys on the Front page with a model of all modes, while a campaign runs at the clock's own speed.
func (w watch) latencies(ctx context.Context, jtune string, presses int) ([]latency, error) {
	t, err := w.start(program{command: []string{jtune, "--device", "virtual:agx-orin", "--data-dir", w.home + "/keys",
		"--config", w.home + "/empty.toml"}}) // its first workload is a simulated one
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for _, step := range []struct{ keys, shows string }{
		{"", "module total"},
		{"t", "workload"}, {"t", "measured within"}, // a model
		{"t", "workload"}, {lastRow, "▸clock"},
		{"\x1b[D", "as now"}, {"t", "mode "}, // a campaign
		{"5", "limit"},
	} {
		if err := sleep(ctx, keyEvery); err != nil {
			return nil, err
		}
		if err := t.Press(step.keys); err != nil {
			return nil, err
		}
		if _, err := t.Until(ctx, patience,
			func(screen string) bool { return strings.Contains(screen, step.shows) }); err != nil {
			return nil, fmt.Errorf("keys, waiting for %q: %w", step.shows, err)
		}
	}
	var out []latency
	for _, q := range questions {
		l := latency{what: q.what}
		for i := range presses {
			key := q.there
			if i%2 == 1 {
				key = q.back
			}
			d, err := ask(ctx, t, key, q.part)
			if err != nil {
				return nil, fmt.Errorf("%s, key %q: %w", q.what, key, err)
			}
			l.times = append(l.times, d)
		}
		slices.Sort(l.times)
		out = append(out, l)
	}
	return out, nil
}

// ask presses a key and returns the time until a part of the screen changes.
func ask(ctx context.Context, t *terminal.Terminal, key string,
	part func(screen string) string) (time.Duration, error) {
	// Out of step with the one-second refresh, and too slow for a paste.
	if err := sleep(ctx, keyEvery+37*time.Millisecond); err != nil {
		return 0, err
	}
	before, pressed := "", time.Time{}
	if _, err := t.Until(ctx, patience, func(screen string) bool { before = part(screen); return true }); err != nil {
		return 0, err
	}
	at, err := t.Answer(ctx, patience, func(screen string) bool { return part(screen) != before }, func() error {
		pressed = time.Now()
		return t.Press(key)
	})
	return at.Sub(pressed), err
}
