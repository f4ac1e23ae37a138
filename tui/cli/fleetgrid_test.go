package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/fleet/fleettest"
)

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
	_, rows, err := record.Read(out)
	if err != nil || len(rows) != modes {
		t.Fatalf("%d rows of %d: %v", len(rows), modes, err)
	}
	seen := map[tegra.Mode]bool{}
	for _, r := range rows {
		if seen[r.Mode] {
			t.Errorf("%v was measured twice", r.Mode)
		}
		seen[r.Mode] = true
	}
}
