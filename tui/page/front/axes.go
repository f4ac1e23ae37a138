package front

import (
	"jtune/internal/axis"
	"jtune/optimize/serving"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// axes selects the quantities on the two axes of the plot.
type axes struct {
	modes
	plane  int             // index into trades
	linear map[string]bool // by a quantity's key: true inverts its default scale
	list   page.Memo[[]serving.Trade]
}

// trades lists the pairs of quantities to choose from.
func (a *axes) trades() []serving.Trade {
	v, w, s, limit := a.read.Outlook(), a.job(), a.read.Served(), a.read.Limit()
	return a.list.Of([...]any{v, s, limit, w.Infers()}, func() []serving.Trade {
		return serving.Trades(v, workloads.UnitOf(w, v.Batch), limit, s)
	})
}

// trade returns the chosen pair.
func (a *axes) trade() serving.Trade {
	list := a.trades()
	return list[a.plane%len(list)]
}

// nextPlane chooses the next pair.
func (a *axes) nextPlane() { a.plane = (a.plane + 1) % len(a.trades()) }

// columns returns the coordinates of all modes.
func (a *axes) columns() (xs, ys []float64) {
	t := a.trade()
	return t.Across.Values, t.Up.Values
}

// points returns all modes with the scales of the axes.
func (a *axes) points() widget.Points {
	t := a.trade()
	return widget.Points{
		Xs: t.Across.Values,
		Ys: t.Up.Values,
		X:  axis.NewScale(t.Across.Span, a.logarithmic(t.Across)),
		Y:  axis.NewScale(t.Up.Span, a.logarithmic(t.Up)),
	}
}

// nextLog steps through the four combinations of linear and logarithmic axes.
func (a *axes) nextLog() page.Intent {
	t := a.trade()
	a.turnScale(t.Across)
	if a.logarithmic(t.Across) {
		a.turnScale(t.Up)
	}
	return page.Sayf("across: %s; up: %s", a.scaleText(t.Across), a.scaleText(t.Up))
}

func (a *axes) turnScale(q *serving.Quantity) { a.linear[q.Key] = !a.linear[q.Key] }

// logarithmic reports whether a quantity is drawn on a logarithmic scale.
func (a *axes) logarithmic(q *serving.Quantity) bool { return q.Log != a.linear[q.Key] }

// scaleText names an axis's quantity and scale.
func (a *axes) scaleText(q *serving.Quantity) string {
	if a.logarithmic(q) {
		return q.Word + ", logarithmic"
	}
	return q.Word + ", linear"
}
