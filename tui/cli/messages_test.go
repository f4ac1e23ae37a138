package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

// readings are numbers of a search, which change with it; the messages keep their form.
var readings = regexp.MustCompile(`\b[1-9][\d.]* ms( per minibatch of \d+)? and [1-9][\d.]* W`)

// TestFrequentMessagesSayWhatWhereAndWhatToDo runs the command lines of testdata/messages.golden, all of them mistakes.
// The file keeps the exit code and the message of each for review: to add a line, write it there and renew the file.
// Lines below a command are its configuration; {toy}, {sized}, {model}, {served}, {new} and {home} are files. A usage
// error is a single line, and prints nothing else.
func TestFrequentMessagesSayWhatWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	computes(t)
	toy, _ := toySweep(t)
	sized, _ := servedSweep(t, 1, 8)
	served, _ := fitServed(t)
	pairs := []string{"{toy}", toy, "{sized}", sized, "{model}", fitToy(t), "{served}", served, "{new}",
		filepath.Join(t.TempDir(), "new"), "{home}", os.Getenv("XDG_CONFIG_HOME")}
	var back []string
	for i := 0; i < len(pairs); i += 2 {
		back = append(back, pairs[i+1], pairs[i])
	}
	files, names := strings.NewReplacer(pairs...), strings.NewReplacer(back...)
	path := filepath.Join("testdata", "messages.golden")
	want := string(must.Read(t, path))
	var b strings.Builder
	for entry := range strings.SplitSeq(strings.TrimSpace(want), "\n\n") {
		line, below, _ := strings.Cut(entry, "\n")
		head, settings := line+"\n", ""
		for l := range strings.Lines(below) {
			if setting, ok := strings.CutPrefix(strings.TrimSpace(l), "# "); ok {
				head, settings = head+"  # "+setting+"\n", settings+setting+"\n"
			}
		}
		line = strings.TrimPrefix(line, "$ jtune ")
		dir := t.TempDir()
		flags := []string{"--data-dir", filepath.Join(dir, "data"), "--log-file", filepath.Join(dir, "log")}
		if !regexp.MustCompile(`--(no-)?device|--sysroot`).MatchString(line) {
			flags = append(flags, "--device", "virtual:agx-orin", "--speed", "max")
		}
		config := filepath.Join(dir, "config.toml")
		must.NoError(t, os.WriteFile(config, []byte(settings), 0o644))
		if !strings.Contains(line, "--config") {
			flags = append(flags, "--config", config)
		}
		o := jtune(t, append(flags, quotedWords(files.Replace(line))...)...)
		last := strings.TrimSuffix(o.err, "\n")
		last = names.Replace(strings.ReplaceAll(last[strings.LastIndex(last, "\n")+1:], dir, "DIR"))
		if o.code == exitOK || !strings.HasPrefix(last, "jtune: ") ||
			o.code == exitUsage && (o.out != "" || strings.Count(o.err, "\n") != 1) {
			t.Errorf("jtune %s: exit code %d, %q and %q", line, o.code, o.out, o.err)
		}
		fmt.Fprintf(&b, "%s%d %s\n\n", head, o.code, readings.ReplaceAllString(last, "T ms$1 and P W"))
	}
	if *update {
		must.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	must.Equal(t, want, b.String(), path)
}
