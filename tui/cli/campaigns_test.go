package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

const campaignKeys = "name path workload fingerprint device virtual state modes usable started strategy seed"

// inData returns a command line with a data directory that lasts for the test.
func inData(t *testing.T) (run func(args ...string) outcome, dir string) {
	dir = t.TempDir()
	return func(args ...string) outcome {
		t.Helper()
		return jtune(t, with(virtualBoard, with(args, "--data-dir", dir)...)...)
	}, dir
}

func TestCampaignsAreListedRenamedDeletedAndRestored(t *testing.T) {
	t.Parallel()
	run, dir := inData(t)
	must.Equal(t, strings.TrimSpace(run("campaigns", "--json").done(t).out), "[]")
	answered := []byte(run("tune", "lstm", "--power-limit", "25", "--probes", "3", "--seed", "7", "--json").done(t).out)
	var document any // in the order of its keys
	must.NoError(t, json.Unmarshal(answered, &document))
	answered, _ = json.Marshal(document)
	run("profile", "lstm", "--sample", "3", "--minibatches", "5").done(t)
	run("run", "lstm", "--minibatches", "5").done(t)
	run("run", "lstm", "--minibatches", "5", "--no-record").done(t)
	list := array(t, run("campaigns", "list", "--json").done(t).out)
	if len(list) != 3 {
		t.Fatalf("%d campaigns, want a search, a profile and a run", len(list))
	}
	for i, strategy := range []any{nil, nil, "auto"} { // newest first
		c := hasKeys(t, list[i], campaignKeys)
		if c["workload"] != "lstm" || c["device"] != "AGX Orin" || c["virtual"] != true || c["state"] != "finished" ||
			c["strategy"] != strategy || c["fingerprint"] != list[0]["fingerprint"] {
			t.Errorf("got %v", c)
		}
		if when, err := time.Parse(time.RFC3339, c["started"].(string)); err != nil || time.Since(when) > time.Hour {
			t.Errorf("started %v", c["started"])
		}
	}
	if list[2]["seed"] != 7.0 || list[1]["modes"] != 3.0 || list[1]["usable"] != 3.0 {
		t.Errorf("got %v", list)
	}
	sum := run("campaigns", "summary", "--json").done(t).object(t,
		"campaigns runs usable minibatches epochs time_s devices virtual")
	has(t, sum, "campaigns = 3", "runs >= 5", "virtual = true", "devices.# = 1", "epochs > 0")
	run("campaigns", "summary").done(t)
	tuned, sampled := list[2]["name"].(string), list[1]["name"].(string)
	run("campaigns", "rename", sampled, "mine").done(t)
	run("campaigns", "show", sampled).fails(t, exitFailed, "no campaign "+sampled, "jtune campaigns")
	shown := run("campaigns", "show", tuned).done(t).out
	must.Contain(t, shown, tuned, "fastest, power ≤ 25 W", "strategy auto", "depth quick", "seed", "batch size 16",
		"\nfastest, power ≤ 25 W\n", "measured within")
	shownKeys := campaignKeys + " answer worked_out better_since"
	c := run("campaigns", "show", "mine", "--json").done(t).object(t, shownKeys)
	has(t, c, "name = mine", "answer = null")
	c = run("campaigns", "show", tuned, "--json").done(t).object(t, shownKeys)
	answer, _ := json.Marshal(c["answer"])
	must.Equal(t, answer, answered)
	must.Equal(t, c["worked_out"], false)

	samples := func() any {
		t.Helper()
		for _, m := range array(t, run("models", "list", "--json").done(t).out) {
			keys := modelKeys
			if m["path"] == nil {
				keys += " version source licence commands"
			}
			if hasKeys(t, m, keys); m["name"] == "lstm@virtual-agx-orin" {
				return m["modes"]
			}
		}
		return nil
	}
	all := samples()
	run("campaigns", "delete", "mine").done(t)
	if n := samples(); n == nil || n.(float64) >= all.(float64) {
		t.Errorf("after a campaign was deleted the model knows %v modes, before %v", n, all)
	}
	must.Equal(t, len(array(t, run("campaigns", "--json").done(t).out)), 2)
	gone := array(t, run("campaigns", "list", "--deleted", "--json").done(t).out)
	must.Equal(t, len(gone), 1)
	must.Equal(t, gone[0]["name"], "mine")
	run("campaigns", "restore", "mine").done(t)
	must.Equal(t, samples(), all)
	run("campaigns", "delete", "mine").done(t)
	run("campaigns", "delete", tuned).done(t)
	must.Equal(t, samples(), nil)
	run("campaigns", "purge", "mine").done(t)
	run("campaigns", "restore", "mine").fails(t, exitFailed, "no campaign mine")
	run("campaigns", "restore", tuned).done(t)
	run("campaigns", "purge").done(t)
	if entries, _ := os.ReadDir(filepath.Join(dir, "deleted", "campaigns")); len(entries) != 0 {
		t.Errorf("after a purge there are %v", entries)
	}
	for _, bad := range [][]string{{"campaigns", "rename", tuned, "a/b"}, {"campaigns", "delete", "../models"},
		{"campaigns", "rename", tuned, tuned}, {"campaigns", "delete"}, {"campaigns", "lsit"}} {
		run(bad...).fails(t, exitUsage)
	}
}

func TestCampaignsCompareWhatTwoMeasured(t *testing.T) {
	t.Parallel()
	run, dir := inData(t)
	filter := []string{"profile", "lstm", "--filter", "cores=12 cpu=2.20 gpu=1.30", "--minibatches", "5"}
	run(append(filter, "--repeat", "2")...).done(t)
	run(filter...).done(t)
	list := array(t, run("campaigns", "--json").done(t).out)
	if len(list) != 2 || list[0]["modes"] != 4.0 || list[0]["state"] != "finished" {
		t.Fatalf("got %v", list)
	}
	other, one := list[0]["name"].(string), list[1]["name"].(string)
	must.Equal(t, len(rowsOf(t, filepath.Join(dir, "campaigns", one))), 8)
	got := run("campaigns", "compare", other, one, "--json").done(t).object(t,
		"campaigns virtual usable common median conclusion modes")
	if got["common"] != 4.0 || got["campaigns"].([]any)[0] != one || len(got["modes"].([]any)) != 4 {
		t.Errorf("got %v", got)
	}
	text := run("campaigns", "compare", one, other).done(t).out
	must.Contain(t, text, "12c/2.20C/1.30G/3.20M", "4 modes measured by both", "a model learns from both")
	shown := run("campaigns", "show", one).done(t).out
	must.Contain(t, shown, "all 4 modes of cores=12 cpu=2.20 gpu=1.30, 2 times each")
	again := run("repeat", other).done(t)
	must.Contain(t, again.out, "4 modes recorded")
	for _, bad := range [][]string{{"--filter", "coers>=2"}, {"--filter", "cores>=99"}, {"--sample", "2", "--grid",
		"--modes", "3"}, {"--repeat", "0", "--grid"}} {
		run(append([]string{"profile", "lstm"}, bad...)...).fails(t, exitUsage)
	}
	run("campaigns", "compare", one, "nobodys").fails(t, exitFailed, "no campaign nobodys")
}

// An empty name, as from an unset shell variable, means none, not all.
func TestPurgeOfAnEmptyNameRemovesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"campaigns/a", "models/b.model"} {
		must.NoError(t, os.MkdirAll(filepath.Join(dir, "deleted", name), 0o755))
	}
	for _, kind := range []string{"campaigns", "models"} {
		for _, args := range [][]string{{"purge", ""}, {"delete", ""}, {"restore", ""}, {"show", ""},
			{"rename", "a", ""}} {
			jtune(t, append([]string{"--data-dir", dir, kind}, args...)...).fails(t, exitUsage, "an argument is empty")
		}
		left, err := os.ReadDir(filepath.Join(dir, "deleted", kind))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: %v is left, %v", kind, left, err)
		}
		o := jtune(t, "--data-dir", dir, kind, "purge").done(t)
		if left, _ := os.ReadDir(filepath.Join(dir, "deleted", kind)); len(left) > 0 ||
			!strings.HasPrefix(o.out, "1 ") {
			t.Errorf("%s: %v is left; %s", kind, left, o.out)
		}
	}
}

func TestModelsAreRenamedDeletedAndRestored(t *testing.T) {
	t.Parallel()
	run, dir := inData(t)
	run("profile", "lstm", "--sample", "3", "--minibatches", "5").done(t)
	names := func() (out []string) {
		t.Helper()
		for _, m := range array(t, run("models", "list", "--json").done(t).out) {
			out = append(out, m["name"].(string))
		}
		return out[shippedModels:] // the shipped ones come first
	}
	run("models", "rename", "lstm@virtual-agx-orin", "mine").done(t)
	run("profile", "lstm", "--sample", "4", "--minibatches", "5").done(t)
	must.Equal(t, names(), []string{"mine"})
	m := run("models", "show", "mine", "--json").done(t).object(t, modelKeys)
	has(t, m, "campaigns = 2", "modes >= 4", "workload = lstm", "method = gp", "virtual = true")
	made, err := time.Parse(time.RFC3339, m["made"].(string))
	if err != nil || time.Since(made) > time.Hour || time.Until(made) > time.Second {
		t.Errorf("made %v, %v", m["made"], err)
	}
	run("models", "delete", "mine").done(t)
	if out := run("models", "list", "--deleted").done(t).out; len(names()) != 0 || strings.TrimSpace(out) != "mine" {
		t.Errorf("models %v, deleted %q", names(), out)
	}
	run("models", "show", "mine").fails(t, exitFailed, "no model mine")
	run("models", "restore", "mine").done(t)
	must.Equal(t, names(), []string{"mine"})
	must.NoError(t, os.Rename(filepath.Join(dir, "models", "mine.model"), filepath.Join(dir, "other.model")))
	run("models", "keep", filepath.Join(dir, "other.model")).done(t)
	run("models", "delete", "other").done(t)
	run("models", "purge", "other").done(t)
	run("models", "restore", "other").fails(t, exitFailed, "no model other")
	run("models", "rename", "nothing", "x").fails(t, exitFailed, "no model nothing")
}

func TestRepeatMeasuresTheSameAgainIntoANewFolder(t *testing.T) {
	t.Parallel()
	run, dir := inData(t)
	run("tune", "lstm", "--time-limit", "400", "--strategy", "binary", "--rotation", "one-by-one:cpu,gpu,mem,cores",
		"--seed", "3", "--device", "virtual:orin-nano").done(t)
	run("profile", "lstm", "--sample", "4", "--minibatches", "5", "--seed", "4", "--device",
		"virtual:orin-nano").done(t)
	run("run", "lstm", "--minibatches", "6", "--base", "0", "--device", "virtual:orin-nano").done(t)
	list := func() []map[string]any {
		t.Helper()
		return array(t, run("campaigns", "--json").done(t).out)
	}
	first := list()
	for _, c := range first {
		o := jtune(t, "repeat", c["name"].(string), "--speed", "max", "--data-dir", dir)
		if o.code != exitOK {
			t.Fatalf("repeat %s: %d %s", c["name"], o.code, o.err)
		}
	}
	again := list()
	if len(again) != 6 {
		t.Fatalf("%d campaigns after each was repeated, want 6", len(again))
	}
	for i, c := range first {
		d := again[i+3]
		for _, key := range []string{"workload", "fingerprint", "strategy", "seed", "state", "modes"} {
			must.Equal(t, c[key], d[key], c["name"], key)
		}
		old := must.Read(t, filepath.Join(c["path"].(string), "campaign.toml"))
		must.Equal(t, undated(string(old)),
			undated(string(must.Read(t, filepath.Join(d["path"].(string), "campaign.toml")))))
	}
}

// undated removes the line with the start time of a campaign.
func undated(header string) string {
	lines := strings.Split(header, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "created") }), "\n")
}
