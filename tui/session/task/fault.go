package task

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// attempt is work that turns a panic into an error which names its place. What the task deferred has run then: it
// restored the board, and the record holds every finished measurement.
func (t *Task) attempt(ctx context.Context, on Measurer) (out Outcome, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("a fault in jtune, please report it: %v (%s)", v, placeOfPanic())
		}
	}()
	return t.work(ctx, on, t)
}

// placeOfPanic returns the file and line where a panic that is being recovered began.
func placeOfPanic() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	began := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			began = true
		case began && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}
