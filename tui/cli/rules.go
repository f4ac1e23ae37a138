package cli

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagRule states which flags of a command exclude or need each other. A word is a flag, a flag with a value
// (policy=free), or in capitals an argument (MODE), optionally with the value of the first argument (KIND=front).
type flagRule struct {
	command string // several separated by commas; "": every command that has all of the flags
	words   string
	is      relation
	others  string
	why     string // appended to the error
}

// relation is the relation between a rule's words and its others.
type relation int

const (
	needs   relation = iota // each of words needs one of others
	not                     // words exclude others
	oneOf                   // exactly one of words
	missing                 // at least one of words
)

// rules lists all such conditions. A command's check reports flags that need another value.
var rules = []flagRule{
	{"", "csv", not, "json", ""},
	{"", "resume", needs, "out", "the folder to continue"},
	{"", "redo-failed", needs, "resume", "and --out DIR"},
	{"profile", "trust-command", needs, "resume", "and --out DIR"},

	{"explain", "mode minibatches epochs per-epoch", needs, "model", ""},
	{"explain", "minibatches", not, "epochs", ""},
	{"explain", "often length changes", not, "model", "they advise an approach before anything is measured"},
	{"run", "attach log", not, "workers inferences",
		"a training that is already running has its own settings: remove --workers and --inferences"},
	{"run", "minibatches inferences", not, "epochs", ""},
	{"run", "inferences", not, "minibatches", ""},
	{"run", "repeat", needs, "inferences", "it repeats their work; --epochs N repeats that of a training"},
	{"run", "no-instrument", not, "base", "it reads no power"},
	{"run", "no-instrument", not, "epochs inferences", "it compares minibatches of one job: give --minibatches N"},
	{"profile", "list", not, "modes sample grid", "give exactly one"},
	{"profile", "modes", not, "sample grid", "give exactly one"},
	{"apply", "reboot", not, "at-boot json fan dvfs", "the preset sets its own limits at boot"},
	{"apply", "keep", not, "reboot at-boot json yes fan dvfs keep-after", "it answers for the preset on trial"},
	{"profile", "reboot", needs, "list", "it may name presets that need a reboot"},
	{"profile", "reboot", needs, "out", "the folder to continue in"},
	{"profile", "reboot", not, "json shard", "it goes on after the reboot"},
	{"soak", "for", not, "until-steady", ""},
	{"soak", "mode for until-steady limit go-on", not, "resume", "it uses the settings of its folder"},
	{"run", "mode", not, "no-device attach log", "jtune sets no mode there"},
	{"run", "limit dvfs systemd", needs, "mode", ""},
	{"run", "limit", needs, "mode=best", "it chooses among the answers of searches"},
	{"models fit", "samples", missing, "", "a sweep file or campaign folder"},
	{"models fit", "out", missing, "", "the file for the model"},
	{"models fit", "loss entries hyper", needs, "method=powertrain method=nn", "it is for networks"},
	{"models fit", "freeze", needs, "method=powertrain", "it keeps the transferred layers"},
	{"predict", "estimates", not, "modes MODE", "its FILE names the modes"},
	{"predict", "measured", needs, "estimates", ""},
	{"predict", "modes", not, "MODE", ""},
	{"predict, choose", "model", missing, "", "jtune models fit makes one"},
	{"front, plot", "model samples", oneOf, "", ""},
	{"front", "workload budgets out minibatches refit", needs, "verify", ""},
	{"front", "verify", needs, "model", "it measures along a predicted front"},
	{"plot", "samples", not, "KIND=predicted KIND=bars KIND=regions KIND=importance KIND=learning KIND=loss",
		"it takes --model MODEL alone; jtune models fit makes one of samples"},
	{"plot", "with observed", needs, "KIND=front", ""},
	{"plot", "with observed", needs, "model", ""},
	{"plot", "observed", needs, "with", ""},
	{"plot", "model", not, "KIND=violin", "it takes --samples DIR, a campaign folder: a model keeps medians"},
	{"fleet rank", "models WORKLOAD", oneOf, "", "models of your own, or those of the boards"},
	{"fleet rank", "models", not, "boards group", "it has its models"},
	{"fleet profile", "out", missing, "", "a new folder for the joined campaign"},
	{"models", "keep", not, "NAME", "it takes no other argument"},
	{"pair", "policy=free", not, "predict models",
		"a pair without turns cannot be predicted, only measured: take strict or fill"},
	{"pair", "at compare pairs requests minibatches out modes strategy serve-at train-at changes resume redo-failed",
		not, "predict models", "it applies only to measuring"},
	{"pair", "strategy=binary strategy=gmd strategy=random", not, "modes=separate at serve-at policy=free",
		"it looks for one setting of a pair with turns"},
	{"pair", "modes=separate", not, "at", "it chooses its modes"},
	{"pair", "serve-at", needs, "train-at", "they belong together"},
	{"pair", "train-at", needs, "serve-at", "they belong together"},
	{"pair", "serve-at", not, "at compare pairs requests out resume redo-failed policy tau modes",
		"it sets a mode for each job by the time of day, and runs no pair"},
	{"pair", "tau", not, "policy=fill policy=free", "it applies only to --policy strict"},
	{"doctor", "bundle", not, "workload", ""},
	{"fleet exporter", "listen", not, "textfile", ""},
	{"convert export", "name", missing, "", "the name of the mode"},
	{"campaigns merge", "out", missing, "", "the new campaign folder"},
	{"evaluate", "truth population", oneOf, "", "a measured sweep, or simulated workloads"},
	{"evaluate", "messy development boards workloads goal levels visits second", needs, "population", ""},
	{"evaluate", "population", not, "reference sizes seeds samples-of others budgets latencies designed " +
		"leave-out-stuck quick csv strict", "it has no sweep"},
	{"device", "list", not, "tunables", ""},
	{"device", "csv", needs, "list", ""},

	{"experiment", "minibatches", not, "epochs", ""},
	{"experiment", "labels", not, "pair", ""},
	{"experiment", "labels pair", needs, "NAME=modes", ""},
	{"experiment", "instances", needs, "NAME=variability", ""},
	{"experiment", "meter", needs, "NAME=baseload", ""},
	{"experiment", "runs", needs, "NAME=devices", ""},
	{"experiment", "NAME=all", not, "minibatches epochs", "each experiment has its own"},
	{"experiment", "NAME=batch", not, "batch", "it runs sizes of its own"},
	{"experiment", "NAME=polling", not, "interval", "it has intervals of its own"},
}

// keptRules returns an error for the first broken rule.
func keptRules(c *cobra.Command, args []string) error {
	line, name := ruled{c, args}, shortName(c)
	for _, r := range rules {
		if r.command != "" && !slices.Contains(strings.Split(r.command, ", "), name) ||
			r.command == "" && !line.hasAll(r.words+" "+r.others) {
			continue
		}
		if err := line.check(r); err != nil {
			return err
		}
	}
	if f := line.namedDash(); f != nil {
		kind, _ := pflag.UnquoteUsage(f)
		return usagef("%s--%s -: - stands for standard input or output, which is not taken here; give a %s",
			commandName(c), f.Name, kind)
	}
	return line.within()
}

// namedDash returns a flag that was given "-" for a file or folder, though its help does not say that it takes it.
func (l ruled) namedDash() (found *pflag.Flag) {
	l.Flags().Visit(func(f *pflag.Flag) {
		kind, help := pflag.UnquoteUsage(f)
		if f.Value.String() == "-" && (kind == "FILE" || kind == "DIR") && !strings.Contains(help, "- for standard") {
			found = f
		}
	})
	return found
}

// within returns an error if a flag that was given is out of its bounds.
func (l ruled) within() (err error) {
	l.Flags().Visit(func(f *pflag.Flag) {
		if len(f.Annotations[bounds]) == 0 || err != nil {
			return
		}
		least, most := f.Annotations[bounds][0], f.Annotations[bounds][1]
		v, want := size(f.Value.String()), ""
		switch low, high := size(least), size(most); {
		case least == above && !(v > 0 && v <= math.MaxFloat64):
			want = "must be positive"
		case (least == above || v >= low) && (most == "" || v <= high):
			return
		case most != "" && least != above:
			want = "want " + least + " to " + most
		case most != "":
			want = "at most " + most
		default:
			want = least + " at least"
		}
		err = usagef("%s--%s %s: %s", commandName(l.Command), f.Name, f.Value, want)
	})
	return err
}

// size is the value of a number, or of a time in seconds; NaN if it is neither.
func size(text string) float64 {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds()
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return math.NaN()
}

// ruled is a command line to check.
type ruled struct {
	*cobra.Command
	args []string
}

// hasAll reports whether the command has all of these flags.
func (l ruled) hasAll(words string) bool {
	return !slices.ContainsFunc(strings.Fields(words), func(word string) bool { return l.flag(word) == nil })
}

// flag returns the flag of a word; nil for arguments, and if the command does not have it.
func (l ruled) flag(word string) *pflag.Flag {
	name, _, _ := strings.Cut(word, "=")
	return l.Flags().Lookup(name)
}

// check returns an error if the rule is broken.
func (l ruled) check(r flagRule) error {
	given, others := l.given(r.words), l.given(r.others)
	says := ""
	switch {
	case r.is == needs && given != nil && others == nil:
		says = l.name(given[0]) + " needs " + l.forms(r.others, " or ") + " too"
	case r.is == not && given != nil && others != nil:
		says = l.name(given[0]) + " and " + l.name(others[0]) + " exclude each other"
	case r.is == oneOf && len(given) != 1:
		says = "give exactly one of " + l.forms(r.words, " and ")
	case r.is == missing && given == nil:
		says = l.forms(r.words, " or ") + " is missing"
	default:
		return nil
	}
	if r.why != "" {
		says += ": " + r.why
	}
	return usagef("%s%s", commandName(l.Command), says)
}

// given returns the words that the command line contains.
func (l ruled) given(words string) (list []string) {
	for word := range strings.FieldsSeq(words) {
		name, want, valued := strings.Cut(word, "=")
		f, holds := l.flag(word), false
		switch {
		case f == nil:
			holds = unicode.IsUpper(rune(name[0])) && len(l.args) > 0 && (!valued || l.args[0] == want)
		case valued:
			holds = f.Value.String() == want
		case f.Value.Type() == "string" || f.Value.Type() == wordType:
			holds = f.Changed && f.Value.String() != ""
		default:
			holds = f.Changed && f.Value.String() != "false"
		}
		if holds {
			list = append(list, word)
		}
	}
	return list
}

// name formats a word as on a command line.
func (l ruled) name(word string) string {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case l.flag(word) != nil:
	case value != "":
		return l.Name() + " " + value
	default:
		return name
	}
	return strings.TrimSpace("--" + name + " " + value)
}

// forms formats words as the user should type them: a flag with a placeholder for its value.
func (l ruled) forms(words, between string) string {
	var out []string
	last := ""
	for word := range strings.FieldsSeq(words) {
		form := l.name(word)
		if name, value, _ := strings.Cut(word, "="); name == last {
			form = value // another value of the same flag
		} else {
			last = name
		}
		if f := l.flag(word); f != nil && !strings.Contains(word, "=") && strings.Contains(f.Usage, "`") {
			value, _ := pflag.UnquoteUsage(f)
			form += " " + value
		}
		out = append(out, form)
	}
	return strings.Join(out, between)
}
