package cli

import (
	_ "embed" // the table of fields
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/advice"
	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/population"
	"jtune/tegra/boot"
	"jtune/tegra/metric"
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
	fields         []tableField
	rules          []flagRule
}

// tableField is a value of a request, as a flag gives it.
type tableField struct {
	name, value, help string   // value is the default; "": that of the field's place
	least, most       string   // bounds of a number or time; "": none
	choices           []string // the only values; nil: any
	names             string   // that complete a value: a list of completer, or words between |; "": none
	commas, hidden    bool
	mention           string // how messages mention it; "": no message does
}

// flagName is how a message names a flag, with a word for its value.
type flagName struct{ flag, value string }

// above is the lower bound of values that are more than 0.
const above = ">0"

// fieldWords replaces the words in braces in the table: lists and names that other packages know.
func fieldWords() *strings.Replacer {
	return strings.NewReplacer("{reference}", learn.ShippedName, "{limits}", metric.Example,
		"{methods}", strings.Join(bench.Methods(), ", "), "{population-methods}", population.AboutMethods(),
		"{populations}", population.About(), "{boards}", strings.Join(population.Boards(), ","),
		"{goals}", strings.Join(population.Goals(), ", "), "{often}", strings.Join(advice.Often, ", "),
		"{changes}", strings.Join(advice.Changing, ", "), "{networks}", strings.Join(nn.Settings(), ", "),
		"{usual-epochs}", strconv.Itoa(defaultEpochs), "{fast}", strconv.Itoa(fastTour),
		"{boot-unit}", boot.Path, "{experiments}", experimentList(),
		"{studies}", studyList(), "{sweep-file}", reproduce.SweepFile("BOARD/WORKLOAD"))
}

// requests returns the table; the first call reads it.
var requests = sync.OnceValue(readTable)

func readTable() table {
	t := table{map[string]*part{}, map[usage.Field]flagName{usage.Load: {"--rate and --arrivals", ""},
		usage.Weights: {"--weights", "NAME"}}} // that their text does not say
	var lines []string
	for line := range strings.Lines(commandTable) {
		if text := strings.TrimSpace(line); strings.HasPrefix(line, "   ") {
			lines[len(lines)-1] += " " + text
		} else if text != "" && text[0] != '#' {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	now, shared, words := &part{}, &part{}, fieldWords()
	for _, line := range lines {
		if strings.Contains(line, "{") {
			line = words.Replace(line)
		}
		switch text := strings.TrimPrefix(line, "  "); {
		case line[0] != ' ':
			of, p := readPart(line)
			if t.parts[of], now = p, p; of == "shared" {
				shared = p
			}
		case text[0] == '>':
			now.long = append(now.long, text[2:])
		case text[0] == '$':
			now.examples = append(now.examples, "  "+text[2:])
		case text[0] == '-':
			now.rules = append(now.rules, readRule(text[2:]))
		default:
			x := readField(text, shared.fields)
			now.fields = append(now.fields, x)
			if known := t.names[usage.Field(x.mention)]; x.mention != "" && known.flag == "" {
				t.names[usage.Field(x.mention)] = flagName{"--" + x.name, x.kind()}
			}
		}
	}
	return t
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

// readField reads a line of the table; without a text it is one of the shared fields.
func readField(line string, shared []tableField) (x tableField) {
	head, help, described := strings.Cut(line, ":")
	head, mention, _ := strings.Cut(head, "“")
	x.mention, x.help = strings.TrimSuffix(mention, "”"), strings.TrimSpace(help)
	words := strings.Fields(head)
	x.name, x.value, _ = strings.Cut(words[0], "=")
	for _, one := range shared {
		if one.name == x.name && !described {
			return one
		}
	}
	for _, word := range words[1:] {
		switch least, most, bounds := strings.Cut(word, ".."); {
		case bounds:
			x.least, x.most = least, most
		case word[0] == '<':
			x.names = strings.Trim(word, "<>")
		case strings.Contains(word, "|"):
			x.choices = strings.Split(word, "|")
		case word == "commas":
			x.commas = true
		case word == "hidden":
			x.hidden = true
		}
	}
	return x
}

// kind returns the word for the field's value in its text; "" for one that is only given or not.
func (x *tableField) kind() string {
	kind, _ := pflag.UnquoteUsage(&pflag.Flag{Usage: x.help, Value: new(onOff)})
	return kind
}

// places are where the values of fields go, by the fields' names: pointers, or values that parse themselves.
type places map[string]any

// bind adds the flags of a command or part of the table. A field that the command has already is left out.
func bind(f *pflag.FlagSet, of string, to places) {
	list := requests().parts[of].fields
	if len(list) != len(to) {
		panic(fmt.Sprintf("cli: %d places for the %d fields of %s", len(to), len(list), of))
	}
	for _, x := range list {
		if f.Lookup(x.name) == nil {
			x.add(f, to[x.name])
		}
	}
}

// unitNamed is the unit of numbers, by the name of the value in a field's text.
var unitNamed = map[string]units.Unit{"W": units.Watt, "MS": units.Millisecond, "PCT": units.Percent,
	"C": units.Celsius, "R": units.PerSecond}

// add adds the flag of a field.
func (x *tableField) add(f *pflag.FlagSet, to any) {
	switch to := to.(type) {
	case *string:
		if f.StringVar(to, x.name, *to, x.help); x.choices != nil {
			f.Lookup(x.name).Value = among(to, x.choices...)
		}
	case *bool:
		f.BoolVar(to, x.name, *to, x.help)
	case *int:
		if strings.HasPrefix(x.least, "1") {
			f.Var((*count)(to), x.name, x.help)
		} else {
			f.IntVar(to, x.name, *to, x.help)
		}
	case *uint64:
		f.Uint64Var(to, x.name, *to, x.help)
	case *float64:
		f.Float64Var(to, x.name, *to, x.help)
		if unit := unitNamed[x.kind()]; unit != "" {
			f.Lookup(x.name).Value = &quantity{to, unit}
		}
	case *time.Duration:
		f.Var((*span)(to), x.name, x.help)
	case *map[string]string:
		f.StringToStringVar(to, x.name, nil, x.help)
	case *[]string:
		if x.commas {
			f.StringSliceVar(to, x.name, nil, x.help)
		} else {
			f.StringArrayVar(to, x.name, nil, x.help)
		}
	case pflag.Value:
		f.Var(to, x.name, x.help)
	default:
		panic(fmt.Sprintf("cli: the field %s has no place: %T", x.name, to))
	}
	made := f.Lookup(x.name)
	if made.Hidden = x.hidden; made.Value.Type() == "boolfunc" {
		made.NoOptDefVal = "true"
	}
	if x.value != "" {
		if err := made.Value.Set(x.value); err != nil {
			panic(fmt.Sprintf("cli: default of %s: %v", x.name, err))
		}
		made.DefValue = made.Value.String()
	}
	made.Annotations = map[string][]string{bounds: {x.least, x.most}, completes: {x.names}}
}

// Marks of a flag: the bounds of its value, and the names that complete it.
const (
	bounds    = "bounds"
	completes = "completes"
)
