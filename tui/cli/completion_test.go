package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestShellsCompleteNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"campaigns/20260105-101500-resnet18-tune", "models"} {
		must.NoError(t, os.MkdirAll(filepath.Join(dir, path), 0o755))
	}
	must.NoError(t, os.WriteFile(filepath.Join(dir, "models", "resnet18@agx-orin.model"), nil, 0o600))
	config := write(t, "[workload.mine]\ncommand = [\"true\"]\n[board.orin1]\nssh = \"me@orin1\"\ngroup = \"lab\"\n")
	for line, want := range map[string]string{
		"tune ":                      "mine",
		"run res":                    "resnet18",
		"apply ":                     "MODE_30W",
		"apply 1":                    "12c/",
		"apply 12c/2":                "12c/2.20C/",
		"predict 12c/2.20C/1.30G/":   "12c/2.20C/1.30G/3.20M",
		"soak lstm --mode 9c/0.1":    "9c/0.12C/",
		"campaigns show ":            "20260105-101500-resnet18-tune",
		"models show ":               "resnet18@agx-orin",
		"choose --model ":            "resnet18@agx-orin",
		"fit --reference ":           "resnet18-agx-orin",
		"tune --strategy ":           "powertrain",
		"tune --depth ":              "thorough",
		"device --device ":           "virtual:nano",
		"watch --board ":             "orin1",
		"fleet watch --group ":       "lab",
		"help ":                      "exit-codes",
		"research reproduce ":        "four-modes",
		"pair --train ":              "mobilenet",
		"apply MODE_30W --keep-afte": "--keep-after",
	} {
		words := strings.Split(line, " ")
		out := jtune(t, append([]string{"__complete", "--config", config, "--data-dir", dir}, words...)...).done(t).out
		must.Contain(t, "\n"+out, "\n"+want)
		must.Lack(t, out, "`")
	}
}
