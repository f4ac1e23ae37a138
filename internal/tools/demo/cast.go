package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/hinshun/vt10x"

	"jtune/tui"
)

// framesOf plays a recording and returns, for each step of the tour, the last screen that shows what the step should.
func framesOf(recording io.Reader) ([]frame, error) {
	lines := bufio.NewScanner(recording)
	lines.Buffer(nil, 1<<20)
	var head struct{ Version, Width, Height int }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version != 2 || head.Width != tui.TourW ||
		head.Height != tui.TourH {
		return nil, fmt.Errorf("a recording of another kind: %.80q", lines.Text())
	}
	screen := vt10x.New(vt10x.WithSize(tui.TourW, tui.TourH))
	frames := make([]frame, len(tui.Tour))
	last := 0.0
	for lines.Scan() {
		var event [3]any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		at, ok := event[0].(float64)
		text, isText := event[2].(string)
		if !ok || !isText || event[1] != "o" || at < last {
			return nil, fmt.Errorf("%.80q after %v s", lines.Text(), last)
		}
		last = at
		_, _ = screen.Write([]byte(text))
		shown := screen.String()
		for i, step := range tui.Tour {
			if strings.Contains(shown, tui.TourMark(i)) && step.Met(shown) {
				frames[i] = frame{cellsOf(screen)}
			}
		}
	}
	for i, f := range frames {
		if f.cells == nil {
			return nil, fmt.Errorf("the recording never shows step %d, %q; at its end:\n%s", i+1, tui.Tour[i].Shows,
				screen.String())
		}
	}
	return frames, lines.Err()
}
