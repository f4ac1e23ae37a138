package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// editors are tried if neither VISUAL nor EDITOR is set.
var editors = []string{"editor", "nano", "vi"}

// openEditor opens a file in the user's editor and waits until it is closed.
func (c configCmd) openEditor(file string) error {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	for _, name := range editors {
		if _, err := exec.LookPath(name); editor == "" && err == nil {
			editor = name
		}
	}
	if editor == "" {
		return errors.New("no editor is found: set EDITOR, such as EDITOR=nano")
	}
	cmd := exec.Command("sh", "-c", editor+` "$@"`, "sh", file) // the editor may have arguments: code --wait
	if c.alone {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w", editor, err)
	}
	return nil
}

// editAgain shows the faults and asks whether to edit again; no answer means no.
func (c configCmd) editAgain(ctx context.Context) func(faults []error) bool {
	in := bufio.NewReader(c.in) // a terminal returns one line per read: none of the editor's input is buffered
	return func(faults []error) bool {
		for _, fault := range faults {
			c.note("%v", fault)
		}
		fmt.Fprint(c.err, "Edit again? enter: yes, n: no, keep the copy: ")
		answered := make(chan bool, 1)
		go func() {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(c.err)
			}
			line = strings.ToLower(strings.TrimSpace(line))
			answered <- err == nil && (line == "" || strings.HasPrefix(line, "y"))
		}()
		select {
		case yes := <-answered:
			return yes
		case <-ctx.Done():
			return false
		}
	}
}
