// Package fleet runs jtune on several boards, over the user's own ssh client: no daemon, no port, and
// the keys and hosts of the user's own ssh configuration.
//
//	[board.NAME] ──► Board ──► ssh DESTINATION jtune … ──► Result (lines as they come, exit code)
//	plan ──► a shard for each board ──► folders there ──► copied here ──► merged
package fleet

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"jtune/internal/sorted"
	"jtune/internal/text"
)

// atOnce is how many boards are worked on at a time.
const atOnce = 8

// Board is a table [board.NAME] of the configuration file.
type Board struct {
	Name string `toml:"-"` // of the table
	// SSH is where it is, as ssh takes it: a name of ~/.ssh/config, user@host or ssh://user@host:port.
	SSH     string   `toml:"ssh"`
	Options []string `toml:"options"` // of ssh, before SSH: ["-p", "2222"]
	Jtune   string   `toml:"jtune"`   // the program there; jtune of its PATH without
	Args    []string `toml:"args"`    // of jtune there, before the command: ["--device", "virtual:nano"]
	Group   string   `toml:"group"`   // of boards that are selected together
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Fault is the key with a bad value, and what is wrong with it; "" for none.
func (b *Board) Fault() (key, why string) {
	switch {
	case !namePattern.MatchString(b.Name):
		return "", "a name is letters, digits and . _ - , 64 at most"
	case b.SSH == "":
		return "ssh", `is missing; give a destination of ssh, such as ssh = "user@orin1"`
	case strings.HasPrefix(b.SSH, "-") || strings.ContainsAny(b.SSH, " \t\n"):
		return "ssh", fmt.Sprintf("%q is no destination such as user@orin1; options go into options", text.Clip(b.SSH))
	}
	return "", ""
}

// Pick are the boards of these names, or of a group, or all, by name.
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

// known lists the boards that there are.
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

// Result is how a command ended on a board.
type Result struct {
	Board Board
	Code  int    // of the command there; 1 where it was not reached
	Out   string // what it wrote to its standard output
	Err   error  // why it failed, in one line; nil where it did not
}

// ErrLost is the error of a board that was not reached, or not to the end.
var ErrLost = errors.New("no connection")

// Each does something on every board, some at a time, and gives the results in the boards' order.
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

// Worst is the exit code of all: 0 where all did it, else the largest.
func Worst(list []Result) (code int) {
	for _, r := range list {
		code = max(code, r.Code)
	}
	return code
}
