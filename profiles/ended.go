package profiles

import (
	"context"
	"errors"

	"jtune/profiles/record"
)

var errEnded = errors.New("ended with its step")

// run measures until there is enough, a fault, or the end of its step. The error ends the campaign.
func (m *measurement) run(ctx context.Context) (f *fault, err error) {
	if m.step.End == nil {
		return m.untilEnough(ctx)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		select {
		case <-m.step.End:
			end(errEnded)
		case <-ctx.Done():
		}
	}()
	f, err = m.untilEnough(ctx)
	if late := f != nil && f.status == record.TimedOut; context.Cause(ctx) == errEnded && (err != nil || late) {
		return nil, errEnded
	}
	return f, err
}
