package fleet

import (
	"context"
	"os"
	"sync"
)

// Trial is a command that sets something on a board, asks in a line of standard error, and waits for a line on standard
// input: y keeps the change. Without an answer, for example after a lost connection, the board reverts it.
type Trial struct {
	Boards []Board
	Args   []string                     // for jtune there
	Asks   func(line string) bool       // reports whether a line is the question
	Line   func(b Board) func(string)   // receives the other lines
	Keep   func(set []Board) (yes bool) // answers for all boards that ask, once the others have ended
}

// Run runs the command on all boards in parallel and returns the results in their order.
func (t Trial) Run(ctx context.Context) []Result {
	var asked, all, told sync.WaitGroup
	asks := make([]bool, len(t.Boards))
	out := make([]Result, len(t.Boards))
	answer := "n\n"
	told.Add(1)
	for i, b := range t.Boards {
		asked.Add(1)
		once := sync.OnceFunc(asked.Done)
		in, say, err := os.Pipe() // a system pipe, because the reader may end first
		if err != nil {
			out[i] = Result{Board: b, Code: 1, Err: err}
			once()
			continue
		}
		line := t.Line(b)
		all.Go(func() {
			defer once()
			defer in.Close()
			out[i] = b.Do(ctx, Call{Shell: b.Command(t.Args...), In: in, Line: func(text string) {
				if !t.Asks(text) {
					line(text)
					return
				}
				asks[i] = true
				once()
			}})
		})
		all.Go(func() {
			defer say.Close()
			told.Wait()
			_, _ = say.WriteString(answer) // a finished board reads nothing
		})
	}
	asked.Wait()
	var set []Board
	for i, b := range t.Boards {
		if asks[i] {
			set = append(set, b)
		}
	}
	if len(set) > 0 && t.Keep(set) {
		answer = "y\n"
	}
	told.Done()
	all.Wait()
	return out
}
