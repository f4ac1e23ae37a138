package page

import (
	"slices"

	"jtune/internal/fields"
	"jtune/tui/widget"
)

// Pick asks for one of the values of a request's field that screens offer, under a label. to is where the request
// keeps it: a string, or a bool for no and yes. Another value there becomes the first.
func Pick(label string, f fields.Field, to any) Field {
	list := f.Offered()
	at := func() int {
		return max(0, slices.IndexFunc(list, func(c fields.Choice) bool {
			flag, is := to.(*bool)
			return is && *flag == (c.Value == yes) || !is && *to.(*string) == c.Value
		}))
	}
	turn := func(by int) {
		i := at()
		widget.Around(&i, by, len(list))
		if flag, is := to.(*bool); is {
			*flag = list[i].Value == yes
		} else {
			*to.(*string) = list[i].Value
		}
	}
	turn(0)
	return Field{Name: label, Text: func() string { return list[at()].String() }, Turn: turn}
}

const yes = "yes"
