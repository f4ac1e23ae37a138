package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// mostSelection is the longest line of a list of modes, in bytes.
const mostSelection = 4096

// selects reports whether the first non-empty line is a mode, a preset or a filter rather than a table header.
func selects(r *bufio.Reader, presets []tegra.Preset) bool {
	head, _ := r.Peek(mostSelection)
	for line := range strings.Lines(string(head)) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			first, _, _ := strings.Cut(line, ",")
			_, named := tegra.FindPreset(strings.TrimSpace(first), presets)
			return named || strings.ContainsAny(first, "/<>=")
		}
	}
	return false
}

// selected returns the modes that a line names.
func (o Options) selected(line string) ([]tegra.Mode, error) {
	if p, named := tegra.FindPreset(line, o.Presets); named {
		return []tegra.Mode{p.Mode}, nil
	}
	modes, err := o.Space.Select(line)
	if err != nil && o.Absent && !o.Strict {
		if m, bad := tegra.ParseMode(line); bad == nil {
			return []tegra.Mode{m}, nil
		}
	}
	return modes, err
}

// selections reads one mode in compact notation, preset name or filter per line; # starts a comment. The rows have no
// measured values.
func (t *Table) selections(r *bufio.Reader, o Options) error {
	for number := 1; ; number++ {
		line, end := r.ReadString('\n')
		if end != nil && !errors.Is(end, io.EOF) {
			return fmt.Errorf("%s: %w", t.Name, end)
		}
		if number > mostLines {
			return fmt.Errorf("%s: %w", t.Name, errLines(mostLines))
		}
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			modes, err := o.selected(line)
			p := Problem{number, fmt.Sprint(err)}
			switch {
			case err != nil && o.Strict:
				return fmt.Errorf("%s: %s", t.Name, p)
			case err != nil:
				t.Problems = append(t.Problems, p)
				modes = nil
			}
			if len(t.Rows)+len(modes) > mostLines || len(t.Problems) >= hopeless {
				return fmt.Errorf("%s: line %d: more than %s modes", t.Name, number, text.Thousands(mostLines))
			}
			for _, m := range modes {
				row := Row{Line: number}
				row.Mode = m
				if p, named := tegra.FindPreset(line, o.Presets); named {
					row.Preset = tegra.Some(p.ID)
				}
				t.Rows = append(t.Rows, row)
			}
		}
		if end != nil {
			break
		}
	}
	if len(t.Rows) == 0 {
		return fmt.Errorf("%s: no usable row: %s", text.Clip(t.Name), t.Problems[0])
	}
	return nil
}
