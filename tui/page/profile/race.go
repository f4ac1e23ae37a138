package profile

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/widget"
)

// A race animates measurements: the present mode, the best preset and the answer of a card do the same work side by
// side on one clock, each at its measured pace and power.

const (
	raceBoard = 60              // seconds that the slowest takes on the board, approximately
	raceTime  = 8 * time.Second // duration of the animation
	raceFrame = 100 * time.Millisecond
)

// race is a race on the card, running or ended.
type race struct {
	began time.Time
	of    *page.Task // the task of the card
	at    int        // index of the answer
}

// raceFrameDue arrives when the next picture is due.
type raceFrameDue struct{ began time.Time }

func nextRaceFrame(r race) page.Intent {
	return page.Run(func(ctx context.Context) tea.Msg {
		select {
		case <-ctx.Done():
		case <-time.After(raceFrame):
		}
		return raceFrameDue{r.began}
	})
}

// frame continues the race that requested it.
func (m raceFrameDue) frame(p *Page) page.Intent {
	if r := racing(p); r != nil && r.began.Equal(m.began) && p.read.Now().Sub(r.began) < raceTime {
		return nextRaceFrame(*r)
	}
	return nil
}

// racing returns the race on the shown card; nil if there is none.
func racing(p *Page) *race {
	if r := p.race; r != nil && p.answers() != nil && r.of == p.shown() && r.at == p.at {
		return r
	}
	return nil
}

// noRace returns why the modes of the card cannot race, or "".
func noRace(a answers.Answer) string {
	switch {
	case a.Served != nil:
		return "requests come at their own rate"
	case measuredRows(a) == nil:
		return "nothing was measured to compare with"
	}
	return ""
}

// startRace starts a race on the shown card, or removes it.
func startRace(p *Page) page.Intent {
	if why := noRace(p.answer()); why != "" {
		return page.Say("race: " + why)
	}
	if racing(p) != nil {
		p.race = nil
		return nil
	}
	p.race = &race{began: p.read.Now(), of: p.shown(), at: p.at}
	return nextRaceFrame(*p.race)
}

// measuredRows returns the racing modes: the picture's, if all were measured; otherwise nil.
func measuredRows(a answers.Answer) []bar {
	rows := compared(a, answers.Present)
	for _, r := range rows {
		if !r.measured || !(r.of.TimeMS > 0) {
			return nil
		}
	}
	return rows
}

// done returns how much of the work is done after a time on the board, and its energy.
func (r bar) done(work int, board time.Duration) (n int, joules float64) {
	const whole = 1e-6 // tolerance, so that the last sample counts
	n = min(work, int(float64(board)/float64(time.Millisecond)/r.of.SampleMS()+whole))
	return n, min(float64(work)*r.of.SampleMS()/1000, board.Seconds()) * r.of.PowerW
}

// workOf returns the work of a race in samples, a round number: about raceBoard for the slowest mode.
func workOf(rows []bar) int {
	slowest := 0.0
	for _, r := range rows {
		slowest = max(slowest, r.of.SampleMS())
	}
	n := 1000 * raceBoard / slowest
	unit := math.Pow(10, math.Floor(math.Log10(max(1, n))))
	return int(max(1, math.Round(n/unit)*unit))
}

// track draws a race in w columns and h lines.
func (r *race) track(p *Page, w, h int) string {
	a := p.answer()
	rows, noun := measuredRows(a), p.shown().Workload.Noun()
	if a.Batch > 0 {
		noun = "sample"
	}
	work, longest := workOf(rows), time.Duration(0)
	for _, r := range rows {
		longest = max(longest, time.Duration(float64(work)*r.of.SampleMS()*float64(time.Millisecond)))
	}
	rate := longest.Seconds() / raceTime.Seconds()
	board := min(longest, time.Duration(rate*float64(p.read.Now().Sub(p.race.began))))
	clock := fmt.Sprintf("%.1f s, ×%.0f", board.Seconds(), rate)
	lines := []string{widget.StyleBold.Render(widget.CutClause(p.now(a.Headline()), w)),
		widget.Ends("the race: "+text.Count(work, noun)+" each, as it was measured", clock, w), ""}
	for i, row := range rows {
		lines = append(lines, row.lane(p, i == len(rows)-1, work, board, w)...)
		if h >= 4+3*len(rows) {
			lines = append(lines, "")
		}
	}
	if board == longest {
		changes, _, _ := strings.Cut(p.now(a.Changes()), ";")
		against, by, _ := strings.Cut(changes, ": ")
		lines = append(lines, widget.CutClause("all are done: "+by+" "+against, w))
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// lane draws a mode's part of a race: its bar, its work done and its energy.
func (r bar) lane(p *Page, answer bool, work int, board time.Duration, w int) []string {
	n, joules := r.done(work, board)
	name := p.now(r.name)
	if w >= narrowW {
		name += "  " + widget.StyleDim.Render(p.read.ModeText(r.of.Mode))
		if r.of.Mode == (tegra.Mode{}) {
			name = p.now(r.name)
		}
	}
	watts := widget.Number(r.of.PowerW, 1) + " W"
	if most := p.answer().Limit.Limits.Val(metric.Power); r.of.PowerW > most.Or(math.Inf(1)) {
		watts = widget.StyleWarn.Render(watts + ", over the limit")
	}
	state := fmt.Sprintf("%s  %s J", text.Thousands(n), text.Thousands(int(math.Round(joules))))
	if n == work {
		state = fmt.Sprintf("✓ %.1f s  %s J", float64(work)*r.of.SampleMS()/1000,
			text.Thousands(int(math.Round(joules))))
	}
	most := max(1, w-raceState)
	drawn := barStyle(answer, strings.Repeat("█", length(float64(n)/float64(work), most)))
	return []string{widget.Ends(name, watts, w), widget.Ends(drawn, state, w)}
}

// raceState is the width of the numbers beside a bar.
const raceState = 18
