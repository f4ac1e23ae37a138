package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// No command runs what a folder names: each one that opens a campaign gets one whose header has a command that leaves a
// mark. A final run with --trust-command shows that the command does leave it.
func TestCommandsRunNothingThatAFolderNames(t *testing.T) {
	t.Parallel()
	steps := `while :; do echo '{"event":"minibatch","time_ms":20}'; sleep 0.02; done`
	args, _ := fakeBoard(t, steps)
	data := args[5]
	campaign := filepath.Join(data, "campaigns", "evil")
	jtune(t, with(args, "profile", "job", "--sample", "1", "--minibatches", "3", "--out", campaign)...).done(t)
	mark := filepath.Join(t.TempDir(), "ran")
	head := filepath.Join(campaign, "campaign.toml")
	text := must.Read(t, head)
	at := strings.Index(string(text), "command = ")
	if at < 0 {
		t.Fatalf("no command in\n%s", text)
	}
	line, _, _ := strings.Cut(string(text[at:]), "\n")
	evil := strings.Replace(string(text), line, fmt.Sprintf("command = [\"sh\", \"-c\", %q]",
		"touch "+mark+"; "+steps), 1)
	must.NoError(t, os.WriteFile(head, []byte(evil), 0o600))
	page := filepath.Join(t.TempDir(), "page.html")
	model := filepath.Join(t.TempDir(), "evil.model")
	for _, command := range [][]string{
		{"campaigns"}, {"campaigns", "show", "evil"}, {"campaigns", "compare", "evil", "evil"}, {"campaigns",
			"summary"},
		{"campaigns", "merge", campaign, "--out", filepath.Join(t.TempDir(), "merged")},
		{"campaigns", "repeat", "evil"}, {"campaigns", "rename", "evil", "evil2"}, {"campaigns", "rename", "evil2",
			"evil"},
		{"campaigns", "delete", "evil"}, {"campaigns", "restore", "evil"},
		{"models", "fit", "--samples", campaign, "--out", model}, {"models"},
		{"front", "--samples", campaign}, {"plot", "front", "--samples", campaign},
		{"choose", "--model", model, "--power-limit", "30"}, {"predict", "--model", model, "--pareto"},
		{"explain", "--model", model}, {"report", "evil", "--out", page}, {"verify", "evil"},
		{"profile", "job", "--sample", "1", "--resume", "--out", campaign},
		{"soak", "job", "--resume", "--out", campaign}, {"workloads"},
	} {
		jtune(t, with(args, command...)...) // some reject the folder, which is fine
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("jtune %s ran the command of the folder", strings.Join(command, " "))
		}
	}
	_, err := os.Stat(head)
	must.NoError(t, err)
	jtune(t, with(args, "campaigns", "repeat", "evil", "--trust-command")...).done(t)
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the trusted command left no mark either: %v", err)
	}
}
