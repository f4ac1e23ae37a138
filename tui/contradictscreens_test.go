package tui_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"jtune/internal/must"
)

// screens records the pages' statements about a workload.
func (s *statements) screens(name string, watts int, since string) {
	s.Helper()
	batch := 16
	if strings.HasSuffix(name, "-infer") {
		batch = 1
	}
	s.page("the board", "Live", "1", `mode (?P<present_mode>`+modePattern+`)`, `RAM [0-9.]+ of (?P<memory__GB>[0-9.]+),`)
	s.page(of(name, batch), "Train", "2", `[ ▸]`+name+` .* (?P<workers__>\d+) (?P<runs_here>simulated|estimated) `)
	at := fmt.Sprintf("%s within %d W", name, watts)
	short := regexp.QuoteMeta(name) + " "
	if len(name) > 13 {
		short = "(?:" + short + "|" + regexp.QuoteMeta(name[:12]) + "… )" // the width of the column
	}
	s.page(at, "Profile", "3", short+` *`+fmt.Sprint(watts)+` W → (?P<answer>`+modePattern+`) (?P<time__ms>[0-9.]+) ms`)
	s.page(name, "Profile", "3", short+` *`+fmt.Sprint(watts)+` W → .* finished +(?P<modes_of_the_search__>\d+) `)
	model := s.modelsPage(name, since)
	s.levers(name+since, "Models", s.about())
	s.term.press("Enter")
	s.term.sees("loaded " + model)
	s.term.press("5")
	s.term.sees("limit ")
	s.limit(watts)
	now := fmt.Sprintf("%s within %d W%s", name, watts, since)
	s.command(now, []string{"choose", "--model", name, "--power-limit", fmt.Sprint(watts)},
		`^(?P<answer>`+modePattern+`)  \(VIRTUAL`)
	s.page(now, "Front", "5", `(?s)best within the limit.*?(?P<answer>`+modePattern+`)`)
	s.page(name+since, "Front", "5", name+`(?:, closed loop)? +from (?P<modes__>\d+) modes`)
}

// modelsPage shows a workload's model on Models, records its statements, and returns its name.
func (s *statements) modelsPage(name, since string) string {
	s.Helper()
	model := name + "@" + s.virt
	s.term.press("4", "Home")
	s.term.sees(model)
	for range 24 { // a list may change between a look and a key
		at := selected(s.still())
		if at == model {
			break
		}
		s.term.press("Down")
		for end := time.Now().Add(10 * time.Second); selected(s.still()) == at; { // a busy machine takes keys late
			if time.Now().After(end) {
				s.term.press("Home")
				break
			}
		}
	}
	errors := ""
	if s.errors(name, model) {
		errors = ` +±(?P<time_error__pct>[0-9.]+) % +±(?P<power_error__pct>[0-9.]+) %`
	}
	s.page(name+since, "Models", "4", `▸(?P<model>`+regexp.QuoteMeta(model)+`) +gp +(?P<modes__>\d+)`+errors,
		name+`.*?, from (?P<modes__>\d+) modes`)
	return model
}

// selected returns the first word of the selected line.
func selected(screen string) string {
	_, after, _ := strings.Cut(screen, "▸")
	word, _, _ := strings.Cut(after, " ")
	return word
}

// limit steps Front's limit to a power in watts.
func (s *statements) limit(watts int) {
	s.Helper()
	for at := limitOf(s.T, s.still()); at != watts; {
		key := "["
		if at < watts {
			key = "]"
		}
		s.term.press(key)
		if now := limitOf(s.T, s.still()); now != at {
			at = now
		}
	}
	s.term.press("c")
	s.term.sees(fmt.Sprintf("limit %d W", watts))
}

// about returns the panel with a model's description: the left half of the page.
func (s *statements) about() string {
	var out []string
	for line := range strings.Lines(s.still()) {
		if left, _, ok := strings.Cut(strings.TrimPrefix(line, "│"), "│"); ok {
			out = append(out, left)
		}
	}
	return strings.Join(out, " ")
}

// page shows a page, and records the statements once the patterns match: of what the commands have recorded too, which
// the screens follow by a poll.
func (s *statements) page(of, name, key string, patterns ...string) {
	s.Helper()
	s.term.press(key)
	var facts []fact
	var missed []string
	known := len(contradictions(s.facts))
	for end := time.Now().Add(must.Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		facts, missed = told(of, name, s.still(), patterns...)
		if len(missed) == 0 && len(contradictions(slices.Concat(s.facts, facts))) == known {
			break
		}
	}
	for _, m := range missed {
		s.Error(m)
	}
	s.facts = append(s.facts, facts...)
}

// still returns the screen once it no longer changes: a half-written frame is no statement.
func (s *statements) still() string {
	s.Helper()
	last := s.term.screen()
	for range 50 {
		time.Sleep(50 * time.Millisecond)
		now := s.term.screen()
		if slices.Equal(strings.Fields(now), strings.Fields(last)) {
			return now
		}
		last = now
	}
	return last
}
