package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// helpWidth is the width of a plain terminal.
const helpWidth = 80

// examples has a line or two for each command without its own.
var examples = map[string]string{
	"jtune":                    "jtune\njtune --device virtual:agx-orin --speed 60",
	"jtune watch":              "jtune watch --interval 100ms --count 50 --json",
	"jtune device":             "jtune device --json",
	"jtune doctor":             "jtune doctor\njtune doctor --bundle board.tar.gz",
	"jtune device modes":       "jtune device modes --filter 'cores>=8 gpu<900MHz' --csv",
	"jtune workloads":          "jtune workloads",
	"jtune run":                "jtune run resnet --minibatches 100",
	"jtune campaigns merge":    "jtune campaigns merge part1 part2 part3 --out campaign",
	"jtune campaigns import":   "jtune campaigns import sweep.csv",
	"jtune models fit":         "jtune models fit --samples campaign --out resnet.model",
	"jtune ask":                "jtune ask choose --model resnet18 --power-limit 25",
	"jtune ask predict":        "jtune ask predict --model resnet.model --csv",
	"jtune ask front":          "jtune ask front --model resnet.model --svg front.svg",
	"jtune revert":             "jtune revert",
	"jtune lab convert export": "jtune lab convert export 8c/1.34C/0.83G/2.13M --name TRAIN",
	"jtune lab convert": "jtune lab convert tegrastats log.txt --csv\n" +
		"jtune lab convert nvpmodel /etc/nvpmodel.conf --json",
	"jtune lab convert tegrastats": "tegrastats | jtune lab convert tegrastats - --json",
	"jtune lab convert nvpmodel":   "jtune lab convert nvpmodel /etc/nvpmodel.conf --json",
	"jtune lab":                    "jtune lab reproduce --claims --quick\njtune lab experiment workers resnet",
	"jtune lab evaluate":           "jtune lab evaluate --truth bert.csv --reference resnet.csv",
	"jtune lab demo":               "jtune lab demo --fast",
	"jtune fleet watch":            "jtune fleet watch --interval 10s",
	"jtune fleet doctor":           "jtune fleet doctor --group lab",
	"jtune fleet rank": "jtune fleet rank resnet18 --epochs 5 --round 10m\n" +
		"jtune fleet rank --models orin=a.model,nano=b.model --epochs 5 --power-limit nano=10",
	"jtune fleet apply":       "jtune fleet apply MODE_50W --boards orin1,orin2",
	"jtune fleet wake":        "jtune fleet wake 48:b0:2d:00:11:22",
	"jtune campaigns summary": "jtune campaigns summary --json",
	"jtune fleet exporter":    "jtune fleet exporter\njtune fleet exporter --once | promtool check metrics",
	"jtune config keys":       "jtune config keys",
	"jtune config":            "jtune config show",
	"jtune config show":       "jtune config show --json",
	"jtune config edit":       "jtune config edit",
	"jtune config check":      "jtune config check new.toml",
	"jtune config path":       "jtune config path",
	"jtune config schema":     "jtune config schema > jtune.schema.json",
	"jtune campaigns compare": "jtune campaigns compare before-update after-update",
	"jtune campaigns list":    "jtune campaigns list --json",
	"jtune campaigns show":    "jtune campaigns show 20260105-101500-resnet18-tune",
	"jtune campaigns rename":  "jtune campaigns rename 20260105-101500-resnet18-tune before-update",
	"jtune campaigns delete":  "jtune campaigns delete before-update",
	"jtune campaigns restore": "jtune campaigns restore before-update",
	"jtune campaigns purge":   "jtune campaigns purge before-update",
	"jtune models list":       "jtune models list --json",
	"jtune models show":       "jtune models show resnet18",
	"jtune models keep":       "jtune models keep resnet.model",
	"jtune models rename":     "jtune models rename resnet18 resnet18-orin",
	"jtune models delete":     "jtune models delete resnet18-orin",
	"jtune models restore":    "jtune models restore resnet18-orin",
	"jtune models purge":      "jtune models purge",
	"jtune version":           "jtune version",
	"jtune man":               "jtune man | man -l -",
}

// helpPages adds an example to every command and wraps texts at a plain terminal's width.
func helpPages(root *cobra.Command) {
	root.SetUsageFunc(flagHelp)
	each(root, func(c *cobra.Command) {
		if text := examples[c.CommandPath()]; c.Example == "" && text != "" {
			c.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
		c.Long = wrapped(c.Long)
	})
}

func each(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		each(sub, f)
	}
}

var paragraphs = regexp.MustCompile(`\n\n+`)

// wrapped wraps each paragraph again. Lists, whose lines start with two spaces and a name, keep their lines and
// columns.
func wrapped(long string) string {
	long = flagged(long)
	var out []string
	for _, paragraph := range paragraphs.Split(long, -1) {
		if !strings.HasPrefix(paragraph, "  ") {
			out = append(out, text.Fold(paragraph, "", helpWidth))
			continue
		}
		var list []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			at := listName.FindStringIndex(line)
			if at == nil {
				at = []int{0, 0}
			}
			rest := text.Fold(line[at[1]:], "", helpWidth-at[1])
			list = append(list, line[:at[1]]+strings.ReplaceAll(rest, "\n", "\n"+strings.Repeat(" ", at[1])))
		}
		out = append(out, strings.Join(list, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// listName matches the name at the start of a list's line, with the spaces around it.
var listName = regexp.MustCompile(`^ +\S+ +`)
