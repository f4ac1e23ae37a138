package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// groups are the sections of `jtune --help`, in order.
var groups = []cobra.Group{
	{ID: "daily", Title: "Every day"},
	{ID: "closer", Title: "Look closer"},
	{ID: "records", Title: "Records"},
	{ID: "board", Title: "Board"},
	{ID: "fleet", Title: "Many boards"},
	{ID: "setup", Title: "Set up"},
	{ID: "research", Title: "Research"},
}

// commands adds all commands to the root, each in its group.
func (a *app) commands(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&g)
	}
	add := func(group string, list ...*cobra.Command) {
		for _, c := range list {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("daily", newRun(a), newTune(a), newSoak(a), newApply(a), newRevert(a), newVerify(a), newWatch(a),
		newDoctor(a))
	add("closer", newChoose(a), newFront(a), newPredict(a), newPlot(a), newExplain(a), newProfile(a), newPair(a),
		newReport(a))
	add("records", below(newCampaigns(a), newRepeat(a), newImport(a), newMerge(a)), below(newModels(a), newFit(a)))
	add("board", below(newDevice(a), newModes(a), newSuspend(a), newWake(a)), newConvert(a))
	add("fleet", newFleet(a), newRank(a), newExporter(a))
	add("setup", below(newWorkloads(a), newWorkloadsAdd(a), newHarness(a)), below(newConfig(a), newKeys(a)),
		newDemo(a), newVersion(a), newMan(a))
	add("research", newResearch(a))
	root.SetCompletionCommandGroupID("setup")
	root.AddCommand(newGuard())
}

// below adds commands to their parent.
func below(parent *cobra.Command, list ...*cobra.Command) *cobra.Command {
	parent.AddCommand(list...)
	return parent
}

// newResearch is `jtune research`: it compares methods and virtual boards with published results.
func newResearch(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "research",
		Short: "Repeat the papers' experiments and compare with published results",
		Long: "These commands are for work on jtune and on its methods: the papers' experiments on your board, their " +
			"studies again, the methods compared on measured sweeps, and the virtual boards against published figures.",
	}, "", newExperiment(a), newEvaluate(a), newReproduce(a), newFidelity(a))
}

// moved maps the former name of a command to its present one. Former names keep working.
var moved = map[string]string{
	"advice":     "explain",
	"evaluate":   "research evaluate",
	"experiment": "research experiment",
	"export":     "convert export",
	"fidelity":   "research fidelity",
	"fit":        "models fit",
	"harness":    "workloads harness",
	"import":     "campaigns import",
	"keys":       "config keys",
	"merge":      "campaigns merge",
	"modes":      "device modes",
	"repeat":     "campaigns repeat",
	"reproduce":  "research reproduce",
	"suspend":    "device suspend",
	"wake":       "device wake",
}

// present replaces a former command name in a command line by its present name; former is "" if there was none.
func present(root *cobra.Command, line []string) (now []string, former string) {
	from := 0
	if len(line) > 0 && strings.HasPrefix(line[0], "__complete") { // shells call hidden commands
		from = 1
	}
	at, ok := firstWord(root, line[from:])
	if !ok || moved[line[from+at]] == "" {
		return line, ""
	}
	at += from
	now = append(now, line[:at]...)
	now = append(now, strings.Fields(moved[line[at]])...)
	return append(now, line[at+1:]...), line[at]
}

// current runs the command line under its present name, and notes a former name on a terminal.
func (a *app) current(ctx context.Context, root *cobra.Command) error {
	line, former := present(root, a.line)
	if len(line) > 0 && strings.HasPrefix(line[0], "__complete") {
		plainUsage(root)
		completer{a}.completions(root)
	}
	if err := knownCommand(root, line); err != nil {
		return err
	}
	if former != "" && isTerminal(a.err) {
		a.note("jtune %s is now: jtune %s", former, moved[former])
	}
	root.SetArgs(line)
	return root.ExecuteContext(ctx)
}
