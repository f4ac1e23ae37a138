package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jtune/internal/must"
)

// checkout is the repository, relative to this package.
const checkout = "../.."

// docPages returns the pages for readers with their text.
func docPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no page %s: %v", pattern, err)
		}
		for _, path := range found {
			text := must.Read(t, path)
			pages[path] = string(text)
		}
	}
	return pages
}

func TestDocsReadmeIsShortAndNamesTheTwoCommands(t *testing.T) {
	t.Parallel()
	text := docPages(t)[filepath.Join(checkout, "README.md")]
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("README.md has %d lines, want at most 150", n)
	}
	must.Contain(t, text, "go run .", "go test ./...", "Pareto front", "docs/demo.svg", "docs/demo.cast")
}

var (
	docLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHead = regexp.MustCompile(`(?m)^#+ (.*)$`)
	// docPath matches a source file or directory as written on the pages: in backquotes, from the repository's root.
	docPath = regexp.MustCompile("`((?:docs|internal|learn|optimize|profiles|tegra|telemetry|tui|\\.ci)/[\\w./*-]+)`")
	// docLine matches a jtune command line.
	docLine = regexp.MustCompile(`^\s*(?:sudo )?(?:\./)?jtune( [^#|&]*|$)`)
	notWord = regexp.MustCompile(`[^\pL\pN\- ]`)
)

// anchor returns the link target of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notWord.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func TestDocsLinkToWhatExists(t *testing.T) {
	t.Parallel()
	pages := docPages(t)
	for page, text := range pages {
		for _, m := range docLink.FindAllStringSubmatch(text, -1) {
			target, section, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			found := section == ""
			for _, h := range docHead.FindAllStringSubmatch(pages[path], -1) {
				found = found || anchor(h[1]) == section
			}
			if !found {
				t.Errorf("%s links to %s, a section that is not there", page, m[1])
			}
		}
	}
}

func TestDocsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	for page, text := range docPages(t) {
		if strings.Contains(page, "decisions") { // they describe their time
			continue
		}
		for _, m := range docPath.FindAllStringSubmatch(text, -1) {
			if found, err := filepath.Glob(filepath.Join(checkout, strings.TrimSuffix(m[1], "..."))); err != nil ||
				len(found) == 0 {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}

// findCommand returns the command of a tree that a line's words name, by its present or a former name.
func findCommand(root *cobra.Command, words []string) (*cobra.Command, []string, error) {
	words, _ = present(root, words)
	return root.Find(words)
}

// taken returns an error unless a line's words name a command and flags of it.
func taken(root *cobra.Command, words []string) error {
	on, rest, err := findCommand(root, words)
	for _, w := range rest {
		if w == "--" { // a user's command follows
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		if strings.HasPrefix(w, "--") && on.Flag(name) == nil && on.InheritedFlags().Lookup(name) == nil {
			err = errors.Join(err, fmt.Errorf("there is no flag %s", w))
		}
	}
	return err
}

// A command's former name is looked for as pages write it: in backquotes, with or without arguments. In prose the
// commands of ask and lab have their own names, which are unique.
func TestDocsNameNoCommandByItsFormerName(t *testing.T) {
	t.Parallel()
	names := moved(new(app).root())
	formerName := regexp.MustCompile("`(?:jtune )?(" + strings.Join(slices.Sorted(maps.Keys(names)), "|") +
		")(?: [^`]*)?`")
	ordinary := []string{"modes", "import", "export", "keys"} // also names of columns, statements and tables
	for page, text := range docPages(t) {
		if strings.Contains(page, "decisions") {
			continue // they describe their time
		}
		for _, m := range formerName.FindAllStringSubmatch(text, -1) {
			now := names[m[1]]
			own := !strings.HasPrefix(m[0], "`jtune ") &&
				(strings.HasPrefix(now, "ask ") || strings.HasPrefix(now, "lab "))
			if !own && !slices.Contains(ordinary, m[1]) {
				t.Errorf("%s: %s is now jtune %s", page, m[0], now)
			}
		}
	}
}

func TestDocsShowCommandsThatExist(t *testing.T) {
	t.Parallel()
	seen, root := 0, new(app).root()
	for page, text := range docPages(t) {
		for line := range strings.Lines(text) {
			m := docLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				continue
			}
			words := strings.Fields(m[1])
			if _, former := present(root, words); former != "" && !strings.Contains(page, "decisions") {
				t.Errorf("%s: %q: a former name", page, strings.TrimSpace(line))
			}
			if err := taken(root, words); err != nil {
				t.Errorf("%s: %q: %v", page, strings.TrimSpace(line), err)
			}
			seen++
		}
	}
	if seen < 10 {
		t.Errorf("%d command lines were found in the pages, want 10 at least", seen)
	}
}

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
	edit(t, head, func(text string) string {
		evil := fmt.Sprintf("command = [\"sh\", \"-c\", %q]", "touch "+mark+"; "+steps)
		return regexp.MustCompile("command = .*").ReplaceAllLiteralString(text, evil)
	})
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
