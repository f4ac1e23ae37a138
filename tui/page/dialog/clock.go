package dialog

import (
	"math"
	"slices"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// clockQuestion asks for the rate of a virtual board's clock while something is measured. The clock stays as it is
// unless one chooses otherwise if the command line or a key has given its rate.
type clockQuestion struct {
	rates  []float64 // 0: unchanged
	now    float64
	at     int
	beside func() bool // the job really runs on this machine
}

// Rates at which a search and a soak can be followed.
const (
	watched     = 10
	watchedSoak = 60
)

// newClockQuestion offers some rates, the usual one first; nil on real hardware.
func newClockQuestion(read page.Reader, beside func() bool, rates ...float64) *clockQuestion {
	now := read.Speed()
	if !now.OK {
		return nil
	}
	rates = slices.DeleteFunc(rates, func(rate float64) bool { return rate == now.V })
	c := &clockQuestion{now: now.V, beside: beside, rates: append(rates, 0)}
	if read.Pace() == 0 {
		c.at = len(rates)
	}
	return c
}

// ask adds the question to a form's fields.
func (c *clockQuestion) ask(fields []page.Field) []page.Field {
	if c == nil {
		return fields
	}
	return append(fields, page.Field{Name: "clock", Text: c.text,
		Turn: func(by int) { widget.Around(&c.at, by, len(c.rates)) }})
}

// rate returns the chosen rate for page.Start.
func (c *clockQuestion) rate() float64 {
	if c == nil {
		return 0
	}
	return c.rates[c.at]
}

func (c *clockQuestion) text() string {
	switch rate := c.rates[c.at]; {
	case c.beside():
		return widget.Dash + " real time: the job really runs on this machine"
	case rate == 0:
		return "as now: " + page.SpeedText(c.now)
	case math.IsInf(rate, 1):
		return "max: seconds instead of minutes"
	default:
		return page.SpeedText(rate) + ": fast, but can be watched"
	}
}
