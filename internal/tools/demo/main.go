// Command demo draws a recording of jtune lab demo for the README: the screens at each step, one after the other.
//
//	docs/demo.cast (asciicast v2, of asciinema) ──► screens at each step ──► docs/demo.svg
//
//	asciinema rec --overwrite --cols 80 --rows 24 -c 'jtune lab demo' docs/demo.cast
//	go run ./internal/tools/demo < docs/demo.cast > docs/demo.svg
package main

import (
	"fmt"
	"os"
)

func main() {
	frames, err := framesOf(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	fmt.Print(svg(frames))
}
