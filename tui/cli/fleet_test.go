package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/session/fleet/fleettest"
)

// fakeSSH is an ssh that runs the command on this machine, in a home folder for each destination. Destination "dead"
// cannot be reached; "once-NAME" loses the connection once during the command.
const fakeSSH = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
to=$2; shift 2
case $to in
dead) echo "ssh: connect to host dead port 22: Connection refused" >&2; exit 255;;
esac
HOME=$FLEET/$to; export HOME
mkdir -p "$HOME" && cd "$HOME" && exec sh -c "$*"
`

// fakeFleet installs fakeSSH, and returns the flags for a configuration of these boards; each is a virtual one of its
// kind with its own data directory.
func fakeFleet(t *testing.T, boards map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(fakeSSH), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("FLEET", dir)
	t.Setenv(asJtune, "1")
	return []string{"--config", write(t, boardTables(dir, boards, "")), "--data-dir", dir}
}

// boardTables returns the configuration of virtual boards, by name, with additional keys.
func boardTables(dir string, boards map[string]string, more string) string {
	var b strings.Builder
	for name, ssh := range boards {
		fmt.Fprintf(&b, "[board.%s]\nssh = %q\njtune = %q\nargs = ['--device', 'virtual:nano', '--speed', 'max', "+
			"'--data-dir', %q]\n%s\n", name, ssh, os.Args[0], filepath.Join(dir, "data-"+name), more)
	}
	return b.String()
}

func TestFleetPrintsALineForEachBoardAndTheWorstCode(t *testing.T) {
	config := fakeFleet(t, map[string]string{"one": "one", "two": "two", "three": "dead"})
	o := jtune(t, append(config, "fleet", "watch", "--count", "1")...)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if o.code != exitFailed || len(lines) != 4 {
		t.Fatalf("exit code %d:\n%s%s", o.code, o.out, o.err)
	}
	for i, want := range []string{"board ", "one       0  VIRTUAL Nano",
		"three     1  failed: no connection: ssh: connect", "two       0  VIRTUAL Nano"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	o = jtune(t, append(config, "fleet", "watch", "--count", "1", "--boards", "one", "--json")...).done(t)
	rows := array(t, o.out)
	must.Equal(t, len(rows), 1)
	must.Equal(t, rows[0]["virtual"], true)
	hasKeys(t, rows[0], "board exit_code error virtual result")
	// The whole result of a remote command, including its exit code.
	o = jtune(t, append(config, "--board", "one", "modes", "--sample", "2", "--csv")...).done(t)
	must.Equal(t, len(strings.Split(strings.TrimSpace(o.out), "\n")), 3)
	jtune(t, append(config, "--board", "one", "modes", "--filter", "x")...).fails(t, exitUsage, "x")
	jtune(t, append(config, "--board", "three", "watch")...).fails(t, exitFailed, "refused")
	jtune(t, append(config, "--board", "four", "watch")...).fails(t, exitUsage, "it has one, three, two")
	jtune(t, append(config, "fleet", "doctor", "--group", "lab")...).fails(t, exitUsage, `group "lab"`)
}

// TestFleetApplyAsksOnceAndEachBoardKeepsOrReverts has two boards that set the mode and one that cannot be reached.
func TestFleetApplyAsksOnceAndEachBoardKeepsOrReverts(t *testing.T) {
	config := fakeFleet(t, map[string]string{"one": "one", "two": "two", "three": "dead"})
	for name, c := range map[string]struct {
		answer string
		yes    bool
		code   int
		want   string // output of a board that set it
	}{
		"y":     {"y\n", false, exitFailed, "   0  VIRTUAL MAXN is set, read back and kept"},
		"n":     {"n\n", false, exitReverted, "   6  VIRTUAL reverted"},
		"--yes": {"", true, exitFailed, "   0  VIRTUAL MAXN is set, read back and kept"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(config, "fleet", "apply", "MAXN", fmt.Sprintf("--yes=%t", c.yes))
			o := jtuneWith(t, t.Context(), strings.NewReader(c.answer), args...).ends(t, c.code)
			must.Equal(t, strings.Count(o.out, c.want), 2)
			must.Contain(t, o.out, "failed: no connection")
			if asked := strings.Contains(o.err, "keep this mode on one, two?"); asked == c.yes {
				t.Errorf("asked %v: %s", asked, o.err)
			}
		})
	}
}

// TestFleetInstallCopiesTheProgramAndChecksItsVersion: a package is installed differently, through sudo and apt.
func TestFleetInstallCopiesTheProgramAndChecksItsVersion(t *testing.T) {
	config := fakeFleet(t, map[string]string{"one": "one", "two": "two", "three": "dead"})
	o := jtune(t, append(config, "fleet", "install", os.Args[0])...).ends(t, exitFailed)
	must.Equal(t, strings.Count(o.out, "   0  jtune dev"), 2)
	for _, name := range []string{"one", "two"} {
		st, err := os.Stat(filepath.Join(os.Getenv("FLEET"), name, ".local/bin/jtune"))
		if err != nil || st.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
	notAProgram := write(t, "echo no\n")
	o = jtune(t, append(config, "fleet", "install", notAProgram, "--boards", "one")...).ends(t, exitFailed)
	must.Contain(t, o.out, "not installed: the file is not a jtune")
	o = jtune(t, append(config, "--board", "one", "version")...).done(t)
	if !strings.HasPrefix(o.out, "jtune dev") {
		t.Errorf("what was there is gone: %s", o.out)
	}
	jtune(t, append(config, "fleet", "install", "nowhere")...).fails(t, exitUsage, "nowhere is no file")
}

func TestFleetMeasuresOnePlanInParts(t *testing.T) {
	config := fakeFleet(t, map[string]string{"a": "a", "b": "b", "c": "dead"})
	out := filepath.Join(t.TempDir(), "all")
	plan := []string{"--out", out, "--retries", "0", "--", "lstm", "--sample", "6"}
	o := jtune(t, append(append(config, "fleet", "profile"), plan...)...)
	if o.code != exitFailed || !strings.Contains(o.out, "c         1  failed: no connection") {
		t.Fatalf("exit code %d:\n%s%s", o.code, o.out, o.err)
	}
	must.Fail(t, must.Err(os.Stat(out)), "no such file")
	// The board is reachable again: the same command measures what is missing, and merges.
	edit(t, config[1], func(text string) string { return strings.Replace(text, `"dead"`, `"c"`, 1) })
	jtune(t, append(append(config, "fleet", "profile"), plan...)...).done(t)
	head, _ := rowsIn(t, out, 6)
	must.Equal(t, head.Plan.Shard, "")
	jtune(t, append(append(config, "fleet", "profile"), plan...)...).fails(t, exitUsage, "is there already")
	plan[len(plan)-1] = "7"
	must.NoError(t, os.Rename(out, out+".old"))
	jtune(t, append(append(config, "fleet", "profile"), plan...)...).fails(t, exitUsage, "parts of another plan")
}

// TestFleetOfSeveralServers has three virtual boards behind three OpenSSH servers. One server dies before a plan is
// measured; in the long form another board hangs for a minute. The others finish, and once it is back the same command
// completes the plan. Then all are tuned, and ranked by the fitted models.
func TestFleetOfSeveralServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var config strings.Builder
	var servers []*fleettest.Server
	for i := range 3 {
		s := fleettest.Start(t, asJtune+"=1")
		servers = append(servers, s)
		options, err := json.Marshal(s.Flags())
		must.NoError(t, err)
		name := fmt.Sprintf("b%d", i+1)
		config.WriteString(boardTables(dir, map[string]string{name: s.Host()}, "options = "+string(options)))
	}
	flags := []string{"--config", write(t, config.String()), "--data-dir", dir}
	fleet := func(args ...string) outcome { return jtune(t, append(append([]string{}, flags...), args...)...) }
	o := fleet("fleet", "doctor").done(t)
	if n := strings.Count(o.out, " more jobs can run"); n != 3 {
		t.Fatalf("%d of 3 boards are ready:\n%s%s", n, o.out, o.err)
	}
	servers[1].Kill()
	if os.Getenv("JTUNE_LONG") != "" { // the last one hangs for a minute
		at := strings.LastIndex(config.String(), "jtune = \"")
		slow := config.String()[:at] + "jtune = \"sleep 60; " + config.String()[at+len("jtune = \""):]
		must.NoError(t, os.WriteFile(flags[1], []byte(slow), 0o644))
	}
	out := filepath.Join(dir, "all")
	plan := []string{"fleet", "profile", "--out", out, "--retries", "0", "--", "lstm", "--sample", "12"}
	o = fleet(plan...)
	if o.code != exitFailed || strings.Count(o.out, "   0  ok") != 2 ||
		!strings.Contains(o.out, "b2        1  failed: no") {
		t.Fatalf("exit code %d:\n%s%s", o.code, o.out, o.err)
	}
	back := fleettest.Start(t, asJtune+"=1")
	options := must.Get(json.Marshal(back.Flags()))(t)
	old, err := json.Marshal(servers[1].Flags())
	must.NoError(t, err)
	text := strings.Replace(config.String(), string(old), string(options), 1)
	must.NoError(t, os.WriteFile(flags[1], []byte(text), 0o644))
	fleet(plan...).done(t)
	rowsIn(t, out, 12)
	o = fleet("fleet", "tune", "--", "lstm", "--power-limit", "6", "--probes", "6").done(t)
	must.Equal(t, strings.Count(o.out, "VIRTUAL "), 3, o.out)
	o = fleet("fleet", "rank", "lstm", "--epochs", "2").done(t)
	if n := strings.Count(o.out, "VIRTUAL"); n != 3 || !strings.Contains(o.out, "a round ends after ") {
		t.Errorf("%d of 3 boards are ranked:\n%s%s", n, o.out, o.err)
	}
	o = fleet("fleet", "apply", "MAXN", "--yes").done(t)
	must.Equal(t, strings.Count(o.out, "MAXN is set, read back and kept"), 3, o.out)
}

// TestFleetOfEightServersMeasuresAFullGrid splits the 4,368 modes of PowerTrain's grid over eight boards behind eight
// OpenSSH servers. At first one is lost, one sends endlessly and one answers late: the others finish and keep their
// parts. The same command then measures the rest, and each mode is measured once.
func TestFleetOfEightServersMeasuresAFullGrid(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("measures 4,368 modes on eight boards; JTUNE_LONG=1 does")
	}
	const boards, lost, endless, slow, modes = 8, 3, 5, 7, 4368
	dir := t.TempDir()
	var servers []*fleettest.Server
	for range boards {
		servers = append(servers, fleettest.Start(t, asJtune+"=1"))
	}
	file := filepath.Join(dir, "config.toml")
	configure := func(jtunes map[int]string) {
		t.Helper()
		var b strings.Builder
		for i, s := range servers {
			options := must.Get(json.Marshal(s.Flags()))(t)
			program := jtunes[i+1] + os.Args[0]
			fmt.Fprintf(&b, "[board.b%d]\nssh = %q\njtune = %q\noptions = %s\nargs = ['--device', 'virtual:agx-orin', "+
				"'--speed', 'max', '--data-dir', %q]\n", i+1, s.Host(), program, options,
				filepath.Join(dir, fmt.Sprintf("data-%d", i+1)))
		}
		must.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	configure(map[int]string{endless: `printf '\033[2J\033]0;x\a'; yes; `, slow: "sleep 20; "})
	servers[lost-1].Kill()
	out := filepath.Join(dir, "all")
	plan := []string{"--config", file, "--data-dir", dir, "fleet", "profile", "--out", out, "--retries", "0", "--",
		"resnet18", "--grid", "--minibatches", "2"}
	o := jtune(t, plan...)
	if o.code != exitFailed || strings.Count(o.out, "   0  ok") != boards-2 ||
		!strings.Contains(o.out, "b3        1  failed: no connection") || strings.Contains(o.out+o.err, "\x1b") {
		t.Fatalf("exit code %d:\n%.4000s\n%.4000s", o.code, o.out, o.err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Fatal("joined without two parts")
	}
	servers[lost-1] = fleettest.Start(t, asJtune+"=1")
	configure(nil)
	jtune(t, plan...).done(t)
	_, rows := rowsIn(t, out, modes)
	seen := map[tegra.Mode]bool{}
	for _, r := range rows {
		if seen[r.Mode] {
			t.Errorf("%v was measured twice", r.Mode)
		}
		seen[r.Mode] = true
	}
}
