package control

import (
	"context"

	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// Orders passes the orders of other programs to a command that does its own work: a Task without its own goroutine.
type Orders struct {
	task    *task.Task
	control *Control // nil: orders are not accepted
	say     func(format string, args ...any)
}

// Obey starts accepting orders for a command's work; the order to stop ends its context. A campaign outside the data
// directory accepts none. End ends it; say prints a line for the user.
func Obey(ctx context.Context, s *session.Session, spec task.Spec, outside bool,
	say func(format string, args ...any)) (context.Context, *Orders) {
	o := &Orders{task: task.NewTask(spec, nil), say: say}
	o.task.Clock = s.Clock
	ctx, o.task.Cancel = context.WithCancel(ctx)
	o.task.Change(func(now *task.Snapshot) { now.State = task.Running })
	if !outside {
		var err error
		if o.control, err = Serve(s); err != nil {
			say("this run cannot be paused from another jtune: %v", err)
		}
		o.control.Show(o.task)
	}
	return ctx, o
}

// Gate implements profiles.Gate: it blocks while the work is paused.
func (o *Orders) Gate(ctx context.Context) error {
	if now := o.task.Now(); now.State == task.Pausing {
		o.say("paused by %s", now.By)
		defer func() {
			if now := o.task.Now(); now.State == task.Running {
				o.say("continued by %s", now.By)
			}
		}()
	}
	return o.task.Hold(ctx)
}

// Observing passes on the work's events and shows them to observers in other programs.
func (o *Orders) Observing(observe func(measure.Event)) func(measure.Event) {
	return func(e measure.Event) {
		o.task.Observe(e)
		observe(e)
	}
}

// End ends the work's context and says who stopped it.
func (o *Orders) End() {
	now := o.task.Now()
	o.task.Finish(task.Outcome{}, nil)
	o.task.Cancel()
	if err := o.control.Close(); err != nil {
		o.say("%v", err)
	}
	if now.Stopped {
		o.say("stopped by %s", now.By)
	}
}
