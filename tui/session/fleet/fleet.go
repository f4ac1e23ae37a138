// Package fleet runs jtune on several boards over the user's own ssh client: no daemon, no port; keys and hosts come
// from the user's ssh configuration.
//
//	[board.NAME] ──► Board ──► ssh DESTINATION jtune … ──► Result (lines as they come, exit code)
//	plan ──► a shard for each board ──► folders there ──► copied here ──► merged
package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"jtune/internal/lazyregexp"
	"jtune/internal/sorted"
	"jtune/internal/text"
)

// atOnce caps the boards used at the same time.
const atOnce = 8

// Board is a table [board.NAME] of the configuration file.
type Board struct {
	Name string `toml:"-"` // of the table
	// SSH is the destination for ssh: a name in ~/.ssh/config, user@host or ssh://user@host:port.
	SSH     string   `toml:"ssh"`
	Options []string `toml:"options"` // of ssh, before SSH: ["-p", "2222"]
	Jtune   string   `toml:"jtune"`   // the program there; default: jtune in its PATH
	Args    []string `toml:"args"`    // for jtune there, before the command: ["--device", "virtual:nano"]
	Group   string   `toml:"group"`   // boards that are selected together
}

var namePattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Fault returns the key with a bad value and the reason; "" if there is none.
func (b *Board) Fault() (key, why string) {
	switch {
	case !namePattern.MatchString(b.Name):
		return "", "a name is letters, digits and . _ - , 64 at most"
	case b.SSH == "":
		return "ssh", `ssh is missing; give its destination, such as ssh = "user@orin1"`
	case strings.HasPrefix(b.SSH, "-") || strings.ContainsAny(b.SSH, " \t\n"):
		return "ssh", fmt.Sprintf("%q is not a destination such as user@orin1; write options under options",
			text.Clip(b.SSH))
	}
	return "", ""
}

// Pick returns the boards with these names, of a group, or all, sorted by name.
func Pick(all []Board, names []string, group string) ([]Board, error) {
	var out []Board
	for _, name := range names {
		i := slices.IndexFunc(all, func(b Board) bool { return b.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no board %q in the configuration%s", text.Clip(name), known(all))
		}
		out = append(out, all[i])
	}
	for _, b := range all {
		if len(names) == 0 && (group == "" || b.Group == group) {
			out = append(out, b)
		}
	}
	if len(out) == 0 && group != "" {
		return nil, fmt.Errorf("no board of group %q in the configuration%s", text.Clip(group), known(all))
	}
	if len(out) == 0 {
		return nil, errors.New(`no boards: the configuration has no [board.NAME] with ssh = "user@host"`)
	}
	sorted.By(out, func(a, b Board) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Board) bool { return a.Name == b.Name }), nil
}

// known lists the configured boards for an error message.
func known(all []Board) string {
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "; it has no [board.NAME]"
	}
	return "; it has " + strings.Join(names, ", ")
}

// Result is the outcome of a command on a board.
type Result struct {
	Board Board
	Code  int    // of the command there; 1 if the board was not reached
	Out   string // its standard output
	Err   error  // why it failed, in one line; nil if it succeeded
}

// ErrLost reports a board that was not reached, or whose connection was lost.
var ErrLost = errors.New("no connection")

// Each calls do for every board, some in parallel, and returns the results in the boards' order.
func Each(ctx context.Context, boards []Board, do func(context.Context, Board) Result) []Result {
	out := make([]Result, len(boards))
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i, b := range boards {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = do(ctx, b)
		})
	}
	wait.Wait()
	return out
}

// Worst returns the exit code for all: 0 if all succeeded, else the largest.
func Worst(list []Result) (code int) {
	for _, r := range list {
		code = max(code, r.Code)
	}
	return code
}
