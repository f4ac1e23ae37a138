package serve

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
)

// count completes the number of tokens of an answer to a request of most. A server that does not count them may send
// several in a piece. Its pieces are tokens if an answer had as many of them as the request allowed; each notes that.
func (s *stream) count(most int, each *atomic.Bool) error {
	switch {
	case s.a.out > 0:
		return nil
	case s.pieces == 0:
		return errors.New("the answer is empty")
	case s.pieces == most && most > 1:
		each.Store(true)
	case !each.Load() && most > 1:
		return fmt.Errorf("it counts no tokens (no usage in its answers), and sends %s for at most %s: that a piece "+
			"is a token is not proven; let it report usage (stream_options, include_usage)",
			text.Count(s.pieces, "piece"), text.Count(most, "token"))
	}
	s.a.out = s.pieces
	return nil
}

// finish completes the answer's times: without the server's own times, prefill ends at the first piece, and the further
// pieces hold the rest of the tokens. A single token, or piece, has no time of decoding.
func (s *stream) finish() {
	a := &s.a
	if a.end == 0 {
		a.end = s.clock.Now()
	}
	if a.first == 0 {
		a.first = a.end
	}
	if !a.prefillMS.OK {
		a.prefillMS, a.pieces = tegra.Some(ms(a.first-a.begin)), s.pieces
		if s.pieces > 1 && a.out > 1 {
			a.decodeMS = tegra.Some(ms(a.end - a.first))
			a.decoded = max(1, int(math.Round(float64(a.out)*(1-1/float64(s.pieces)))))
		}
	} else {
		a.decodeMS.OK, a.decoded = a.out > 1, a.out
		a.first = min(a.end, a.begin+time.Duration(a.prefillMS.V*float64(time.Millisecond)))
	}
}

// believable returns an error when the server counts more tokens than possible. A prompt has at most one per byte, plus
// the server's template; an answer has at most the requested number, plus those of a server that predicts several at
// once.
func (s *stream) believable(prompt, output int) error {
	switch in, out := 2*prompt+1000, 2*output+16; {
	case s.a.out > out:
		return fmt.Errorf("it counts %s tokens for a request of %d: look at its version, or at a proxy in between",
			text.Thousands(s.a.out), output)
	case s.a.in > in:
		return fmt.Errorf("it counts a prompt of %s tokens where %s bytes were sent: look at its version, or at what "+
			"is between", text.Thousands(s.a.in), text.Thousands(prompt))
	}
	return nil
}
