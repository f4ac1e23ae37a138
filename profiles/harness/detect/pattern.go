package detect

import (
	"fmt"
	"regexp"
	"strings"
)

// pattern returns an expression that matches only this counter; "" where there is none.
func (c *counter) pattern() string {
	if c.stated || c.known || c.loose {
		return ""
	}
	lead := ""
	if w := c.literal(); w != "" {
		lead = regexp.QuoteMeta(w) + `.*?\b`
	}
	switch {
	case c.ratio && c.of > 0:
		return fmt.Sprintf(`%s(?P<batch>\d+)/%d\b`, lead, c.of)
	case lead != "":
		return regexp.QuoteMeta(c.literal()) + `\W+(?P<batch>\d+)`
	}
	return ""
}

// literal returns a word before the count that distinguishes this counter from others.
func (c *counter) literal() string {
	f := strings.FieldsFunc(c.what, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') })
	for i := len(f) - 1; i >= 0; i-- {
		if len(f[i]) > 1 {
			return f[i]
		}
	}
	return ""
}
