package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra/tegratest"
)

// TestCommandsPrintNoControlCharactersOfOthers from the names of a board, a
// configuration file and a campaign out of somebody's archive.
func TestCommandsPrintNoControlCharactersOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const evil = "x\x1b]52;c;ZXZpbA==\ay\u009b2Jz\u202e"
	tree := tegratest.New("agx-orin-36")
	tree.Set("/proc/device-tree/model", evil+"\x00")
	tree.Set("/etc/nvpmodel/nvpmodel_p3701.conf",
		"< POWER_MODEL ID=0 NAME="+evil+" >\nCPU_ONLINE CORE_0 1\n< PM_CONFIG DEFAULT=0 >\n")
	root := tree.Write(t)
	config := filepath.Join(dir, "workloads.toml")
	campaign := filepath.Join(dir, "camp")
	for name, text := range map[string]string{
		config:                                   "[workload.a]\ncommand = [\"sh\"]\n'" + evil + "' = 1\n",
		filepath.Join(campaign, "campaign.toml"): "format = 1\nx = \"\x1b[2J\"\n",
		filepath.Join(dir, "a\x1b[2J.model"):     "not a model",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--sysroot", root, "device"}, {"--sysroot", root, "device", "--json"}, {"--sysroot", root, "doctor"},
		{"--config", config, "workloads"},
		{"merge", campaign, "--out", filepath.Join(dir, "out")},
		{"models", "show", filepath.Join(dir, "a\x1b[2J.model")},
		{"no\x1b[2Jsuch"},
	} {
		o := jtune(t, args...)
		if all := o.out + o.err; all == "" || strings.ContainsAny(all, "\x1b\a\u009b\u202e") {
			t.Errorf("%q prints %q", args, all)
		}
	}
}
