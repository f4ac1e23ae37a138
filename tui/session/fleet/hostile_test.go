package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

// hereSSH makes ssh a shell of this machine, and gives a board there with an empty home folder.
func hereSSH(t *testing.T) (b Board, home string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\ncd " + home + " && exec sh -c \"$*\"\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return Board{Name: "a", SSH: "there", Jtune: "true"}, home
}

func TestDoEndsABoardThatSendsForEver(t *testing.T) {
	b, _ := hereSSH(t)
	for name, c := range map[string]struct{ shell, want string }{
		"an output without end":   {"exec yes", "sends more than"},
		"an output of one line":   {"exec cat /dev/zero", "sends more than"},
		"messages without end":    {"exec yes >&2", "has not ended within"},
		"a message without end":   {"exec cat /dev/zero >&2", "has not ended within"},
		"nothing, without an end": {"exec sleep 600", "has not ended within"},
	} {
		lines, bytes := 0, 0
		r := b.Do(t.Context(), Call{Shell: c.shell, Within: time.Second, Line: func(s string) {
			lines++
			bytes += len(s)
		}})
		if r.Code != 1 || r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
			t.Errorf("%s: exit code %d, %v; want %q", name, r.Code, r.Err, c.want)
		}
		if most := mostAtOnce + 2*int(time.Minute/lineEvery); lines > most || bytes > most*1000 ||
			len(r.Out) > mostOut {
			t.Errorf("%s: %d lines of %d bytes and %d bytes are passed on", name, lines, bytes, len(r.Out))
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	must.Equal(t, b.Do(ctx, Call{Shell: "true", Within: time.Hour}).Code, 130)
}

func TestPassOnSaysHowManyLinesItLeavesOut(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("epoch\n\n", 3*mostAtOnce) + "the end\n"
	shown, said := 0, ""
	last := passOn(strings.NewReader(text), func(line string) { shown, said = shown+1, line })
	if shown < mostAtOnce || shown > 2*mostAtOnce || last != "the end" || !strings.Contains(said, "came too fast") {
		t.Errorf("%d lines of %d, then %q; the last is %q", shown, 3*mostAtOnce+1, said, last)
	}
}

// partThere makes the part of a board there: a number of modes with what a campaign has of each.
func partThere(t *testing.T, home string, s *Shards, b Board, modes int) string {
	t.Helper()
	dir := filepath.Join(home, s.there(b))
	for i := range modes {
		mode := filepath.Join(dir, "logs", fmt.Sprintf("pm_%d", i))
		must.NoError(t, os.MkdirAll(mode, 0o755))
		for _, name := range []string{"knobs.csv", "result.csv", "log.txt"} {
			must.NoError(t, os.WriteFile(filepath.Join(mode, name), []byte("x\n"), 0o644))
		}
	}
	return dir
}

// A part of 600 modes was measured and never came: 1,000 files were the most.
func TestShardsFetchAPartOfManyModes(t *testing.T) {
	b, home := hereSSH(t)
	s := must.Get(OpenShards(filepath.Join(t.TempDir(), "parts"), []Board{b}, []string{"lstm"}))(t)
	const modes = 300 // 1,200 folders and files
	partThere(t, home, s, b, modes)
	if r := s.Measure(t.Context(), b, 0, func(line string) { t.Log(line) }); r.Err != nil {
		t.Fatal(r.Err)
	}
	must.Equal(t, len(must.Get(filepath.Glob(filepath.Join(s.Parts()[0], "logs", "*", "*")))(t)), 3*modes)
}

func TestShardsLeaveLargeOutputsOfTheJobThere(t *testing.T) {
	b, home := hereSSH(t)
	s := must.Get(OpenShards(filepath.Join(t.TempDir(), "parts"), []Board{b}, []string{"lstm"}))(t)
	large := filepath.Join(partThere(t, home, s, b, 2), "logs", "pm_1", "log.txt")
	if err := os.Truncate(large, mostBytes+1); err != nil { // it has no blocks
		t.Fatal(err)
	}
	var said string
	if r := s.Measure(t.Context(), b, 0, func(line string) { said += line }); r.Err != nil {
		t.Fatal(r.Err)
	}
	got := must.Get(filepath.Glob(filepath.Join(s.Parts()[0], "logs", "*", "*")))(t)
	must.Equal(t, len(got), 4)
	must.Contain(t, said, "log.txt, stay there in jtune-fleet/")
}

// A board that answers with another stream, and one that sends on after the end of its archive.
func TestShardsEndAPartThatDoesNotEnd(t *testing.T) {
	for name, tar := range map[string]string{
		"no archive":           "exec yes",
		"more after its end":   "/usr/bin/env -i PATH=/usr/bin:/bin tar \"$@\"; exec cat /dev/zero",
		"nothing but an error": "echo broken >&2; exit 2",
	} {
		t.Run(name, func(t *testing.T) {
			b, home := hereSSH(t)
			s := must.Get(OpenShards(filepath.Join(t.TempDir(), "parts"), []Board{b}, []string{"lstm"}))(t)
			partThere(t, home, s, b, 1)
			dir := t.TempDir()
			must.NoError(t, os.WriteFile(filepath.Join(dir, "tar"), []byte("#!/bin/sh\n"+tar+"\n"), 0o755))
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
			defer stop()
			r := s.Measure(ctx, b, 0, func(string) {})
			if ctx.Err() != nil || r.Err == nil || !strings.HasPrefix(r.Err.Error(), "the record of a: ") {
				t.Errorf("it ends with %v", r.Err)
			}
			if list, _ := os.ReadDir(filepath.Dir(s.Parts()[0])); len(list) != 1 {
				t.Errorf("%v is left", list)
			}
		})
	}
}

// A copy whose connection is lost twice comes at the third try without a second run, and is not copied again later.
func TestShardsTryTheCopyAgainAndKeepACompletePart(t *testing.T) {
	defer func(d time.Duration) { again = d }(again)
	again = time.Millisecond
	b, home := hereSSH(t)
	b.Jtune = filepath.Join(home, "jtune")
	must.NoError(t, os.WriteFile(b.Jtune, []byte("#!/bin/sh\necho >>"+home+"/runs\n"), 0o755))
	s := must.Get(OpenShards(filepath.Join(t.TempDir(), "parts"), []Board{b}, []string{"lstm"}))(t)
	partThere(t, home, s, b, 3)
	dir := t.TempDir()
	tar := "#!/bin/sh\necho >>" + home + "/copies\n[ $(wc -l <" + home + "/copies) -gt 2 ] || exit 255\n" +
		"exec /usr/bin/env -i PATH=/usr/bin:/bin tar \"$@\"\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "tar"), []byte(tar), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for range 2 {
		if r := s.Measure(t.Context(), b, 2, func(string) {}); r.Err != nil || r.Code != 0 {
			t.Fatalf("code %d, %v", r.Code, r.Err)
		}
	}
	count := func(name string) int {
		text, _ := os.ReadFile(filepath.Join(home, name))
		return len(text)
	}
	if runs, copies := count("runs"), count("copies"); runs != 1 || copies != 3 {
		t.Errorf("%d runs and %d copies, want 1 and 3", runs, copies)
	}
}
