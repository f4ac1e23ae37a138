package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"jtune/internal/text"
)

// Limits of a copied model file, the same as for reading one in learn.
const (
	mostModel = 64 << 20
	modelTime = 2 * time.Minute
)

// FetchModel copies the board's model of a workload to a local file.
func FetchModel(ctx context.Context, b Board, workload, to string, line func(string)) Result {
	r := b.Do(ctx, Call{Shell: b.Command("models", "--json"), Line: line, Within: modelTime})
	if r.Err != nil {
		return r
	}
	var models []struct{ Name, Workload, Path string }
	_ = json.Unmarshal([]byte(r.Out), &models) // any other document has no models
	for _, m := range models {
		if m.Workload != workload && m.Name != workload || m.Path == "" {
			continue
		}
		file, err := os.Create(to)
		if err != nil {
			return Result{Board: b, Code: 1, Err: err}
		}
		w := bufio.NewWriter(file)
		r := b.Do(ctx, Call{Shell: "cat -- " + text.ShellWord(m.Path), Out: &atMost{to: w, left: mostModel}, Line: line,
			Within: modelTime})
		if err := errors.Join(w.Flush(), file.Close()); err != nil && r.Err == nil {
			r.Code, r.Err = 1, err
		}
		return r
	}
	return Result{Board: b, Code: 1, Err: fmt.Errorf("has no model of %s", text.Clip(workload))}
}
