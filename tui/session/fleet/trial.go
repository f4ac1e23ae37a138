package fleet

import (
	"context"
	"os"
	"sync"
)

// Trial is a command that sets something on a board, says so in a line of its standard error, and waits for a
// line of its standard input: y keeps it. Without one, as when the connection is lost, it is taken back there.
type Trial struct {
	Boards []Board
	Args   []string                     // of jtune there
	Asks   func(line string) bool       // reports whether a line is the question
	Line   func(b Board) func(string)   // gets the others
	Keep   func(set []Board) (yes bool) // answers for all boards that ask, once the others have ended
}

// Run runs the command on all boards at the same time, and gives the results in their order.
func (t Trial) Run(ctx context.Context) []Result {
	var asked, all, told sync.WaitGroup
	asks := make([]bool, len(t.Boards))
	out := make([]Result, len(t.Boards))
	answer := "n\n"
	told.Add(1)
	for i, b := range t.Boards {
		asked.Add(1)
		once := sync.OnceFunc(asked.Done)
		in, say, err := os.Pipe() // of the system: what reads it may end first
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
			_, _ = say.WriteString(answer) // a board that has ended reads nothing
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
