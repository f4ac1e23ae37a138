package config

import (
	"fmt"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/tomlfile"
	"jtune/profiles/workload"
)

// SaveWorkload adds the table of a workload to the configuration file and replaces one with the same name. Everything
// else, including comments, stays unchanged. It returns the path of the file.
func (p Paths) SaveWorkload(name, table string) (string, error) {
	path, err := p.editable()
	if err != nil {
		return path, err
	}
	err = safefile.Update(path, tomlfile.MaxSize, func(before []byte) ([]byte, error) {
		after := withTable(string(before), tomlfile.Key(name), table)
		if faults := workload.Faults(path, after); len(faults) > 0 {
			return nil, fmt.Errorf("not saved: %w", faults[0])
		}
		return []byte(after), nil
	})
	return path, unwritable(err)
}

// withTable returns a TOML text with a workload's table in place of the one with the same key, or at the end.
func withTable(text, key, table string) string {
	var out strings.Builder
	put, inside := false, false
	for line := range strings.Lines(text) {
		head := strings.ReplaceAll(strings.TrimSpace(line), " ", "")
		if strings.HasPrefix(head, "[") {
			mine := head == "[workload."+key+"]" || strings.HasPrefix(head, "[workload."+key+"]#") ||
				strings.HasPrefix(head, "[workload."+key+".")
			if mine && !put {
				out.WriteString(table)
				put = true
			}
			inside = mine
			if mine {
				continue
			}
		}
		if bare := strings.TrimSpace(line); inside && bare != "" && !strings.HasPrefix(bare, "#") {
			continue
		}
		out.WriteString(line)
	}
	if put {
		return out.String()
	}
	text = out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	return text + table
}
