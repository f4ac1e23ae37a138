// Command mkroot writes a fake Jetson root, to try jtune by hand on a board
// that is not there:
//
//	go run ./internal/tools/mkroot -board orin-nano-36 -out /tmp/nano
//	go run . --sysroot /tmp/nano device
//	go run . --sysroot /tmp/nano apply 4c/0.73C/0.31G/2.13M
//
// Files hold what such a board was recorded to show. They take every write:
// no kernel rounds or refuses. The clocks of CPU and GPU are links to their limits:
// in place of a link, a file makes a clock that does not follow. Other readings stay.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"jtune/tegra/tegratest"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mkroot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("board", "", "`NAME` of the board; without one all are listed")
	out := flags.String("out", "", "`DIR` to write, new or empty")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *name == "" {
		for _, b := range tegratest.Boards() {
			fmt.Fprintf(stdout, "%-18s L4T %-7s %s\n", b.Name, b.L4T, b.Title)
		}
		return 0
	}
	board, ok := tegratest.BoardNamed(*name)
	if !ok || *out == "" {
		fmt.Fprintf(stderr, "mkroot: want -board with a name that mkroot lists without it (not %q) and -out DIR\n",
			*name)
		return 2
	}
	if entries, err := os.ReadDir(*out); err == nil && len(entries) > 0 {
		fmt.Fprintf(stderr, "mkroot: %s is not empty\n", *out)
		return 1
	}
	tree := board.New()
	tree.FollowClocks()
	if err := tree.WriteTo(*out); err != nil {
		fmt.Fprintln(stderr, "mkroot:", err)
		return 1
	}
	fmt.Fprintf(stdout, "%s with L4T %s is in %s: jtune --sysroot %s\n", board.Title, board.L4T, *out, *out)
	return 0
}
