package cli

import (
	_ "embed" // the table of fields
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/fields"
	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/advice"
	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/population"
	"jtune/tegra/boot"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tui/session/lab/reproduce"
)

// commandTable describes all commands and their fields; its head says how.
//
//go:embed commands.txt
var commandTable string

// table is what the table says.
type table struct {
	parts map[string]*part // of a command by its short name, or shared by several
	names map[usage.Field]flagName
}

// part is the description of a command, or of what several have in common.
type part struct {
	form, short    string // of a command's arguments, after its name; what it does
	arguments      string // names that complete them, as of a field
	long, examples []string
	fields         []fields.Field
	rules          []flagRule
}

// flagName is how a message names a flag, with a word for its value.
type flagName struct{ flag, value string }

// fieldWords replaces the words in braces in the table: lists and names that other packages know.
func fieldWords() *strings.Replacer {
	return strings.NewReplacer("{reference}", learn.ShippedName, "{limits}", metric.Example,
		"{methods}", strings.Join(bench.Methods(), ", "), "{population-methods}", population.AboutMethods(),
		"{populations}", population.About(), "{boards}", strings.Join(population.Boards(), ","),
		"{goals}", strings.Join(population.Goals(), ", "), "{often}", strings.Join(advice.Often, ", "),
		"{changes}", strings.Join(advice.Changing, ", "), "{networks}", strings.Join(nn.Settings(), ", "),
		"{usual-epochs}", strconv.Itoa(defaultEpochs), "{fast}", strconv.Itoa(fastTour),
		"{boot-unit}", boot.Path, "{virtual}", strings.Join(virtual.Names(), ", "), "{experiments}", experimentList(),
		"{studies}", studyList(), "{sweep-file}", reproduce.SweepFile("BOARD/WORKLOAD"))
}

// requests returns the table; the first call reads it.
var requests = sync.OnceValue(readTable)

func readTable() table {
	t := table{map[string]*part{}, map[usage.Field]flagName{usage.Load: {"--rate and --arrivals", ""},
		usage.Weights: {"--weights", "NAME"}}} // that their text does not say
	now, shared, words := &part{}, &part{}, fieldWords()
	kept := false // the line before is one that is not folded
	for _, line := range fields.Lines(commandTable) {
		if strings.Contains(line, "{") {
			line = words.Replace(line)
		}
		text := strings.TrimPrefix(line, "  ")
		switch {
		case line[0] != ' ':
			of, p := readPart(line)
			if t.parts[of], now = p, p; of == "shared" {
				shared = p
			}
		case text[0] == '>':
			now.long = append(now.long, text[2:])
		case text[0] == '|':
			if kept {
				now.long[len(now.long)-1] += "\n" + text[2:]
			} else {
				now.long = append(now.long, text[2:])
			}
		case text[0] == '$':
			now.examples = append(now.examples, "  "+text[2:])
		case text[0] == '-':
			now.rules = append(now.rules, readRule(text[2:]))
		case text[0] == '+':
			t.take(now, fields.Of(text[2:])...)
		default:
			x := fields.Read(text)
			if at := slices.IndexFunc(shared.fields, func(one fields.Field) bool { return one.Name == text }); at >= 0 {
				x = shared.fields[at]
			}
			t.take(now, x)
		}
		kept = text[0] == '|'
	}
	return t
}

// take adds fields to a part.
func (t *table) take(to *part, list ...fields.Field) {
	to.fields = append(to.fields, list...)
	for _, x := range list {
		if known := t.names[x.Mention]; x.Mention != "" && known.flag == "" {
			t.names[x.Mention] = flagName{"--" + x.Name, valueOf(x)}
		}
	}
}

// readPart reads the first line of a part: its name, and for a command the form of its arguments and what it does.
func readPart(line string) (of string, p *part) {
	p = &part{}
	of, p.short, _ = strings.Cut(line, ": ")
	if head, names, ok := strings.Cut(of, " <"); ok {
		of, p.arguments = head, strings.TrimSuffix(names, ">")
	}
	if at := strings.IndexFunc(of, func(r rune) bool { return r != ' ' && !unicode.IsLower(r) }); at > 0 {
		of, p.form = of[:at-1], of[at-1:]
	}
	return of, p
}

// described makes a command without its work of what the table says; without a check it takes no arguments.
func described(of string, check cobra.PositionalArgs) *cobra.Command {
	p := requests().parts[of]
	if check == nil {
		check = cobra.NoArgs
	}
	return &cobra.Command{Use: of[strings.LastIndex(of, " ")+1:] + p.form, Short: p.short,
		Long: strings.Join(p.long, "\n\n"), Example: strings.Join(p.examples, "\n"), Args: takes(check)}
}

// valueOf returns the word for a field's value in its text; "" for one that is only given or not.
func valueOf(x fields.Field) string {
	kind, _ := pflag.UnquoteUsage(&pflag.Flag{Usage: x.Help, Value: new(onOff)})
	return kind
}

// unitNamed is the unit of numbers, by the name of the value in a field's text.
var unitNamed = map[string]units.Unit{"W": units.Watt, "MS": units.Millisecond, "PCT": units.Percent,
	"C": units.Celsius, "R": units.PerSecond}

// addFlag adds the flag of a field.
func addFlag(f *pflag.FlagSet, x fields.Field, to any) {
	x.Help = flagged(x.Help)
	switch to := to.(type) {
	case *string:
		if f.StringVar(to, x.Name, *to, x.Help); x.Choices != nil && x.Names == "" {
			f.Lookup(x.Name).Value = among(to, x.Values()...)
		}
	case *bool:
		f.BoolVar(to, x.Name, *to, x.Help)
	case *int:
		f.IntVar(to, x.Name, *to, x.Help)
	case *[]int:
		f.IntSliceVar(to, x.Name, nil, x.Help)
	case *[]float64:
		f.Float64SliceVar(to, x.Name, nil, x.Help)
	case *uint64:
		f.Uint64Var(to, x.Name, *to, x.Help)
	case *float64:
		f.Float64Var(to, x.Name, *to, x.Help)
		if unit := unitNamed[valueOf(x)]; unit != "" {
			f.Lookup(x.Name).Value = &quantity{unit: unit, value: *to, set: func(v float64) { *to = v }}
		}
	case *time.Duration:
		f.Var((*span)(to), x.Name, x.Help)
	case *map[string]string:
		f.StringToStringVar(to, x.Name, nil, x.Help)
	case *[]string:
		if x.Commas {
			f.StringSliceVar(to, x.Name, nil, x.Help)
		} else {
			f.StringArrayVar(to, x.Name, nil, x.Help)
		}
	case pflag.Value:
		f.Var(to, x.Name, x.Help)
	default:
		panic(fmt.Sprintf("cli: the field %s has no place: %T", x.Name, to))
	}
	made := f.Lookup(x.Name)
	if made.Hidden = x.Hidden; made.Value.Type() == "boolfunc" {
		made.NoOptDefVal = "true"
	}
	if x.Default != "" {
		if err := made.Value.Set(x.Default); err != nil {
			panic(fmt.Sprintf("cli: default of %s: %v", x.Name, err))
		}
		made.DefValue = made.Value.String()
	}
	made.Annotations = map[string][]string{bounds: {x.Least, x.Most}, completes: {x.Names}}
}

// Marks of a flag: the bounds of its value, and the names that complete it.
const (
	bounds    = "bounds"
	completes = "completes"
)
