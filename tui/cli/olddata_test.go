package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Data directories that earlier versions wrote are listed, shown, reported, continued, repeated and verified.
func TestCommandsUseTheDataDirectoriesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"testdata/datadir-*", "../session/task/testdata/datadir-*"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, of := range found {
			t.Run(filepath.Base(of), func(t *testing.T) {
				t.Parallel()
				useOldData(t, of)
			})
		}
	}
}

func useOldData(t *testing.T, of string) {
	dir := filepath.Join(t.TempDir(), "data")
	must.NoError(t, os.CopyFS(dir, os.DirFS(of)))
	args := []string{"--data-dir", dir, "--speed", "max"}
	if name := filepath.Join(dir, "config.toml"); fileExists(name) {
		args = append(args, "--config", name)
		jtune(t, with(args, "config", "check")...).done(t)
	}
	folders := must.Get(os.ReadDir(filepath.Join(dir, "campaigns")))(t)
	listed := decoded[[]map[string]any](t, with(args, "campaigns", "--json"))
	must.Equal(t, len(listed), len(folders))
	answered, which := false, ""
	for _, c := range listed {
		name := c["name"].(string)
		h, rows, notes, err := record.ReadNoted(filepath.Join(dir, "campaigns", name))
		modes := map[tegra.Mode]bool{}
		for _, row := range rows {
			modes[row.Mode] = true
		}
		if err != nil || len(notes) > 0 || c["workload"] != h.Workload.Name || c["usable"] != float64(len(modes)) {
			t.Errorf("%v: %d modes, %v, %v", c, len(modes), notes, err)
		}
		shown := decoded[map[string]any](t, with(args, "campaigns", "show", name, "--json"))
		must.Equal(t, shown["state"], c["state"], name, c)
		if h.Device.Which == "" || !h.Device.Virtual {
			continue // no board: there is nothing to report or to measure again
		}
		answered, which = answered || shown["answer"] != nil, "virtual:"+h.Device.Which
		t.Run(name, func(t *testing.T) { useOldCampaign(t, with(args, "--device", which), dir, h, c) })
	}
	for _, m := range decoded[[]map[string]any](t, with(args, "models", "--json")) {
		path, own := m["path"].(string)
		if !own {
			continue // shipped
		}
		own = m["error"] == nil
		t.Run(filepath.Base(path), func(t *testing.T) {
			if !own {
				t.Errorf("listed as %v", m)
			}
			jtune(t, with(args, "models", "show", m["name"].(string))...).done(t)
			jtune(t, with(args, "choose", "--model", path, "--max-slowdown", "50")...).done(t)
		})
	}
	if answered {
		jtune(t, with(args, "--device", which, "verify", "--json")...).done(t)
	}
}

// A list says what a soak has proven, also from the index.
func TestCampaignsListTheVerdictsOfSoaks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	must.NoError(t, os.CopyFS(dir, os.DirFS("testdata/datadir-baca48b6")))
	for range 2 {
		out := jtune(t, "--data-dir", dir, "campaigns").done(t).out
		for _, want := range []string{" soak: holds ", " soak: not seen "} {
			must.Equal(t, strings.Count(out, want), 1, want)
		}
	}
}

// useOldCampaign reports a campaign and measures it again; an interrupted one it continues.
func useOldCampaign(t *testing.T, args []string, dir string, h record.Header, c map[string]any) {
	name, folder := c["name"].(string), c["path"].(string)
	page := filepath.Join(t.TempDir(), "page.md")
	jtune(t, with(args, "report", name, "--out", page)...).done(t)
	text, err := os.ReadFile(page)
	must.NoError(t, err)
	must.Contain(t, string(text), h.Workload.Name)
	switch {
	case fileExists(filepath.Join(folder, "soak.toml")) && c["state"] == "interrupted":
		before := lengths(t, filepath.Join(folder, "soak.csv"))
		if o := jtune(t, with(args, "soak", h.Workload.Name, "--resume", "--out", folder)...); o.code == exitUsage {
			t.Errorf("exit code %d: %s", o.code, o.err)
		}
		if after := lengths(t, filepath.Join(folder, "soak.csv")); after <= before {
			t.Errorf("continued: %d samples, before %d", after, before)
		}
	case c["state"] == "interrupted":
		jtune(t, with(args, "profile", h.Workload.Name, "--sample", strconv.Itoa(h.Plan.Modes), "--seed",
			strconv.FormatInt(int64(h.Seed), 10), "--minibatches", strconv.Itoa(h.Settings.Minibatches),
			"--out", folder, "--resume")...).done(t)
		if _, rows, notes, err := record.ReadNoted(folder); err != nil || len(notes) > 0 || len(rows) != h.Plan.Modes {
			t.Errorf("continued: %d rows of %d, %v, %v", len(rows), h.Plan.Modes, notes, err)
		}
	case h.Plan.Kind == "sample":
		jtune(t, with(args, "campaigns", "repeat", name)...).done(t)
	}
}

// lengths returns the number of lines of a table whose lines have all columns.
func lengths(t *testing.T, path string) int {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	lines := must.Get(csv.NewReader(f).ReadAll())(t)
	return len(lines)
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
