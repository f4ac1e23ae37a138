package profile

import (
	"fmt"
	"math"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/widget"
)

// A race animates measurements: the mode before the search, the best preset and the answer of a card run side by side
// on one clock, each at its measured pace and power. The limit is a fuse: it blows in a mode that exceeds it.

const (
	raceBoard = time.Minute     // that the modes run on the board
	raceTime  = 8 * time.Second // duration of the animation
	raceFrame = 100 * time.Millisecond
)

// race is a race on the card, running or ended.
type race struct {
	began time.Time
	of    *page.Task // the task of the card
	at    int        // index of the answer
}

// raceOn continues a race that is still shown, until its end.
func (p *Page) raceOn(r *race) page.Intent {
	if racing(p) == r && p.read.Now().Sub(r.began) < raceTime {
		return page.After(raceFrame, func() page.Intent { return p.raceOn(r) })
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
	case len(lanes(a)) < 2:
		return "nothing was measured to compare with"
	}
	return ""
}

// startRace starts a race on the shown card, or removes it.
func startRace(p *Page) page.Intent {
	if racing(p) != nil {
		p.race = nil
		return nil
	}
	p.race = &race{began: p.read.Now(), of: p.shown(), at: p.at}
	return p.raceOn(p.race)
}

// lanes returns the racing modes, the answer last: those that it is compared with, as far as they were measured.
func lanes(a answers.Answer) (out []answers.Row) {
	rows := a.Sheet(answers.Today).Rows
	for _, r := range rows {
		if r.Compared && r.Read && r.TimeMS > 0 {
			out = append(out, r)
		}
	}
	if !rows[len(rows)-1].Read {
		return nil
	}
	return out
}

// winner returns the index of the lane that is best by the goal among those within the limits; -1 if there is none.
func winner(a answers.Answer, rows []answers.Row) int {
	best := -1
	for i, r := range rows {
		if r.Fits.Or(true) && (best < 0 || a.Limit.Better(r.Measured, rows[best].Measured)) {
			best = i
		}
	}
	return best
}

// did returns the whole samples that a mode does in a time on the board.
func did(r answers.Row, board time.Duration) int {
	const whole = 1e-6 // tolerance, so that the last sample counts
	return int(board.Seconds()*1000/r.SampleMS() + whole)
}

// track draws a race in w columns and h lines.
func (r *race) track(p *Page, w, h int) string {
	a := p.answer()
	rows, noun := lanes(a), a.Per(p.shown().Workload.Noun())
	rate := raceBoard.Seconds() / raceTime.Seconds()
	board := min(raceBoard, time.Duration(rate*float64(p.read.Now().Sub(r.began))))
	most := 1
	for _, row := range rows {
		if row.Fits.Or(true) {
			most = max(most, did(row, raceBoard))
		}
	}
	budget := "the race"
	if a.Limit.Limited() {
		budget = "the race within " + a.Limit.Brief()
	}
	about := budget + ": " + text.Plural(noun) + " and J in one minute, as measured"
	at := fmt.Sprintf("%.1f s, ×%.1f", board.Seconds(), rate)
	lines := []string{widget.StyleBold.Render(widget.Ends(about, at, w)),
		widget.StyleWarn.Render(strings.Repeat("─", max(0, w-raceState)) + "┐")}
	for i, row := range rows {
		lines = append(lines, lane(p, row, i == len(rows)-1, board, most, w)...)
		if h >= 4+3*len(rows) {
			lines = append(lines, "")
		}
	}
	if i := winner(a, rows); board == raceBoard && i >= 0 {
		won := fmt.Sprintf("%s wins: %s", answers.Short(rows[i].Name), text.Count(did(rows[i], board), noun))
		if a.Limit.Aim() != metric.Time {
			won = fmt.Sprintf("%s wins: least %s", answers.Short(rows[i].Name), a.Limit.Aim().Title)
		}
		if a.Limit.Limited() {
			won += " within " + a.Limit.Brief()
		}
		lines = append(lines, widget.StyleBold.Render(widget.CutClause(won, w)))
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// lane draws a mode's part of a race: its bar up to the limit's line, its work and its energy. A mode that exceeds the
// limit stops after its first sample.
func lane(p *Page, r answers.Row, answer bool, board time.Duration, most, w int) []string {
	name := answers.Short(r.Name)
	if w >= narrowW && r.Mode != (tegra.Mode{}) {
		name += "  " + widget.StyleDim.Render(p.read.ModeText(r.Mode))
	}
	watts := widget.Number(r.PowerW, 1) + " W " + answers.Mark(r.Fits)
	if first := time.Duration(r.SampleMS() * float64(time.Millisecond)); !r.Fits.Or(true) && board >= first {
		b, _ := p.answer().Limit.Broken(r.Measured)
		why := fmt.Sprintf("╳ FUSE BLOWN: %s of %s %s", text.Of(b.Of(r.Measured)), text.Of(b.Value), b.Unit)
		bar := strings.Repeat("█", max(1, w-widget.Width(why)-1))
		return []string{widget.Ends(name, watts, w), barStyle(false, bar) + widget.StyleBad.Render(why)}
	}
	n := did(r, board)
	joules := board.Seconds() * r.PowerW
	drawn := barStyle(answer, strings.Repeat("█", length(float64(n)/float64(most), max(1, w-raceState))))
	return []string{widget.Ends(name, watts, w),
		widget.Ends(drawn, text.Thousands(n)+"  "+text.Thousands(int(math.Round(joules)))+" J", w)}
}

// raceState is the width of the numbers beside a bar.
const raceState = 18
