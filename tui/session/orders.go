package session

import "context"

// Orders are those of other programs to a command, which does its work itself: a Task without a
// goroutine of its own.
type Orders struct {
	task    *Task
	control *Control // nil: nobody can give any
	say     func(format string, args ...any)
}

// Obey begins to take orders for a command's work, whose context ends when it is told to stop. A
// campaign outside the data directory takes none. End ends it; say prints a line for the user.
func (s *Session) Obey(ctx context.Context, spec TaskSpec, outside bool,
	say func(format string, args ...any)) (context.Context, *Orders) {
	o := &Orders{task: newTask(spec, nil), say: say}
	o.task.clock = s.Clock
	ctx, o.task.cancel = context.WithCancel(ctx)
	o.task.change(func(now *Snapshot) { now.State = Running })
	if !outside {
		var err error
		if o.control, err = s.Serve(); err != nil {
			say("other jtunes cannot pause or stop this: %v", err)
		}
		o.control.Show(o.task)
	}
	return ctx, o
}

// Gate is profiles.Gate: it holds the work while it is to be paused.
func (o *Orders) Gate(ctx context.Context) error {
	if now := o.task.Now(); now.State == Pausing {
		o.say("paused by %s", now.By)
		defer func() {
			if now := o.task.Now(); now.State == Running {
				o.say("goes on, by %s", now.By)
			}
		}()
	}
	return o.task.hold(ctx)
}

// Observing hands the work's events on, and shows them to who looks from another program.
func (o *Orders) Observing(observe func(Event)) func(Event) {
	return func(e Event) {
		o.task.observe(e)
		observe(e)
	}
}

// End ends the work's context, and says who stopped it.
func (o *Orders) End() {
	now := o.task.Now()
	o.task.finish(Outcome{}, nil)
	o.task.cancel()
	if err := o.control.Close(); err != nil {
		o.say("%v", err)
	}
	if now.Stopped {
		o.say("stopped by %s", now.By)
	}
}
