package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// groups are the sections of `jtune --help`, in order. Commands of a group without a title are not listed there.
var groups = []cobra.Group{
	{ID: "daily", Title: "Every day"},
	{ID: "groups", Title: "Groups"},
	{ID: "list"}, // synonyms: jtune campaigns is jtune list campaigns
	{ID: "about"},
}

// commands adds all commands to the root: the one table of commands, groups and former names.
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
	add("daily", newRun(a), newTune(a), newApply(a), newRevert(a), newSoak(a), newVerify(a), newReport(a), newWatch(a),
		newDoctor(a), newList(a), below(newConfig(a), was(newKeys(a), "keys")))
	add("groups",
		group("ask", "",
			was(newChoose(a), "choose"), was(newFront(a), "front"), was(newPredict(a), "predict"),
			was(newExplain(a), "explain", "advice")),
		below(newFleet(a), was(newExporter(a), "exporter"), was(newWake(a), "wake", "device wake")),
		was(group("lab", "",
			was(newEvaluate(a), "evaluate"), was(newExperiment(a), "experiment"), was(newFidelity(a), "fidelity"),
			was(newReproduce(a), "reproduce"), was(newPlot(a), "plot"), was(newProfile(a), "profile"),
			was(newPair(a), "pair"), was(newConvert(a), "convert"), was(newDemo(a), "demo")), "research"))
	add("list",
		below(newCampaigns(a), was(newRepeat(a), "repeat"), was(newImport(a), "import"), was(newMerge(a), "merge")),
		below(newModels(a), was(newFit(a), "fit"), gone("share", noProfiles), gone("learn", noProfiles),
			gone("reduce", noProfiles)),
		below(newWorkloads(a), newWorkloadsAdd(a), was(newHarness(a), "harness")),
		below(newDevice(a), was(newModes(a), "modes"), was(gone("suspend", "systemctl suspend"), "suspend")))
	add("about", newVersion(a), newMan(a))
	root.SetCompletionCommandGroupID("about")
	root.AddCommand(newStaged(a))
}

// below adds commands to their parent.
func below(parent *cobra.Command, list ...*cobra.Command) *cobra.Command {
	parent.AddCommand(list...)
	return parent
}

// formerNames marks the names under which a command was called before, separated by commas.
const formerNames = "former"

// was notes the former names of a command, which keep working for one release.
func was(c *cobra.Command, names ...string) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[formerNames] = strings.Join(names, ",")
	return c
}

// noProfiles takes the place of profiles of boards, which brought searches nothing.
const noProfiles = "--reference with a model, campaign or sweep"

// gone is a command of an earlier release, with what does the same.
func gone(name, instead string) *cobra.Command {
	c := &cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return usagef("%sthis command is gone: use %s", commandName(c), instead)
	}
	return c
}

// moved maps each former name of a command to its present one.
func moved(root *cobra.Command) map[string]string {
	list := map[string]string{}
	each(root, func(c *cobra.Command) {
		for name := range strings.SplitSeq(c.Annotations[formerNames], ",") {
			list[name] = strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		}
	})
	delete(list, "")
	return list
}

// present replaces a former command name in a command line by its present name; former is "" if there was none. The
// name has one word or two, with flags between them. It also removes list before what it lists.
func present(root *cobra.Command, line []string) (now []string, former string) {
	from := 0
	if len(line) > 0 && strings.HasPrefix(line[0], "__complete") { // shells call hidden commands
		from = 1
	}
	at, ok := firstWord(root, line[from:], false)
	if !ok {
		return line, ""
	}
	at += from
	names, rest := moved(root), line[at+1:]
	former = line[at]
	if next, more := firstWord(root, rest, true); more {
		if former == "list" && slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
			return c.GroupID == "list" && c.Name() == rest[next]
		}) {
			return slices.Concat(line[:at], rest[next:next+1], rest[:next], rest[next+1:]), ""
		}
		if two := former + " " + rest[next]; names[two] != "" {
			former, rest = two, slices.Delete(slices.Clone(rest), next, next+1)
		}
	}
	if names[former] == "" {
		return line, ""
	}
	return slices.Concat(line[:at], strings.Fields(names[former]), rest), former
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
		a.note("jtune %s is now: jtune %s", former, moved(root)[former])
	}
	if end := slices.Index(append(line, "--"), "--"); slices.Contains(line[:end], "--help-all") {
		line = slices.Insert(slices.Clone(line), end, "--help")
	}
	root.SetArgs(line)
	return root.ExecuteContext(ctx)
}
