package front

import (
	"jtune/internal/axis"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// axes are the quantities across and up, of those that the modes can be traded by.
type axes struct {
	modes
	plane  int             // of trades
	linear map[string]bool // by the key of a quantity: drawn linearly or not, against its custom
	of     tradesOf
	list   []serving.Trade
}

// tradesOf is what trades depend on.
type tradesOf struct {
	view   *outlook.Outlook
	served *serving.LoadView
	limit  optimize.Limit
	infers bool
}

// trades are what the axes can show.
func (a *axes) trades() []serving.Trade {
	v, w, s := a.read.Outlook(), a.job(), a.read.Served()
	if of := (tradesOf{v, s, a.read.Limit(), w.Infers()}); a.of != of {
		a.of, a.list = of, serving.Trades(v, workloads.UnitOf(w, v.Batch), of.limit, s)
	}
	return a.list
}

// trade is what they show now.
func (a *axes) trade() serving.Trade {
	list := a.trades()
	return list[a.plane%len(list)]
}

// nextPlane shows the next quantities.
func (a *axes) nextPlane() { a.plane = (a.plane + 1) % len(a.trades()) }

// columns are the values across and up of all modes.
func (a *axes) columns() (xs, ys []float64) {
	t := a.trade()
	return t.Across.Values, t.Up.Values
}

// points are all modes by the axes of the plot.
func (a *axes) points() widget.Points {
	t := a.trade()
	return widget.Points{
		Xs: t.Across.Values,
		Ys: t.Up.Values,
		X:  axis.NewScale(t.Across.Span, a.logarithmic(t.Across)),
		Y:  axis.NewScale(t.Up.Span, a.logarithmic(t.Up)),
	}
}

// nextLog takes the next of the four ways to draw the two axes.
func (a *axes) nextLog() page.Intent {
	t := a.trade()
	a.turnScale(t.Across)
	if a.logarithmic(t.Across) {
		a.turnScale(t.Up)
	}
	return page.Sayf("across: %s; up: %s", a.scaleText(t.Across), a.scaleText(t.Up))
}

func (a *axes) turnScale(q *serving.Quantity) { a.linear[q.Key] = !a.linear[q.Key] }

// logarithmic reports whether a quantity is drawn by its logarithm.
func (a *axes) logarithmic(q *serving.Quantity) bool { return q.Log != a.linear[q.Key] }

// scaleText says what an axis shows and how.
func (a *axes) scaleText(q *serving.Quantity) string {
	if a.logarithmic(q) {
		return q.Word + ", logarithmic"
	}
	return q.Word + ", linear"
}
