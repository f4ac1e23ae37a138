package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/cpubudget"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// app is one run of the program, with its streams and global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	line     []string          // command line without the program's name
	alone    bool              // the process runs only this command
	budget   *cpubudget.Budget // CPU budget; nil before limitCPU, and if the process is shared

	// runF takes the complete request of jtune run or tune in place of the measurement; nil: it is measured.
	runF func(request any) error

	workloads []workload.Workload  // those of workloadList; nil before its first call
	listed    []campaigns.Campaign // those of a command on models; nil before it lists them

	cmd  *cobra.Command // the running command, set before its RunE
	args []string       // its arguments

	asJSON, asCSV bool // --json and --csv of the commands that have them
	asFile        bool // prints the text of a file, whose lines stay whole

	options session.Options
	speed   string
	noColor bool
	glyphs  string
	batches []string // --batch as typed
	board   string   // --board: where to run the command; "": here
	tour    float64  // play a tour with pauses divided by this; 0: none
}

// limitCPU limits jtune's CPU use on the machine that is being measured.
func (a *app) limitCPU() *cpubudget.Budget {
	if a.alone && a.budget == nil {
		a.budget = cpubudget.New()
	}
	return a.budget
}

// root builds the command tree.
func (a *app) root() *cobra.Command {
	version := false
	root := described("jtune", nil)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if version {
			return newVersion(a).RunE(cmd, args)
		}
		return a.open(cmd)
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.asFile = cmd.Parent() != nil && cmd.Parent().Name() == "completion"
		if err := flagAsValue(cmd); err != nil {
			return err
		}
		a.options.AmbientC.OK = cmd.Flags().Changed("ambient")
		if err := a.readGlobals(cmd.Flags().Changed("speed")); err != nil {
			return err
		}
		if a.board != "" {
			return a.onBoard(cmd.Context(), a.board)
		}
		if err := keptRules(cmd, args); err != nil {
			return err
		}
		return spare(a.options.Paths, cmd, args)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		bad, ok := errors.AsType[*pflag.InvalidValueError](err)
		switch {
		case ok && usage.Is(err): // it names the clause
			why, _ := errors.AsType[*usage.Error](err)
			return usagef("%s--%s: %s", commandName(cmd), bad.GetFlag().Name, why.Why)
		case ok:
			return usagef("%s--%s %q: want %s", commandName(cmd), bad.GetFlag().Name, bad.GetValue(),
				valueForm(bad.GetFlag()))
		}
		return usagef("%s%v%s; %s --help lists the flags", commandName(cmd), err, nearestFlag(cmd, err),
			cmd.CommandPath())
	})
	a.globals(root)
	root.Flags().BoolVarP(&version, "version", "v", false, "version for jtune")
	a.commands(root)
	helpPages(root)
	return root
}

// flagAsValue returns an error if a flag has taken the next flag as its missing value, as in --out --json.
func flagAsValue(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		v := f.Value.String()
		if f.Value.Type() == "string" && flagLike.MatchString(v) && f.Name != "pattern" {
			err = usagef("%s--%s %s: a value that begins with - looks like a flag; for a file write ./%[3]s",
				commandName(cmd), f.Name, text.Clip(v))
		}
	})
	return err
}

var flagLike = regexp.MustCompile(`^--?[A-Za-z]`)

// nearestFlag suggests the flag that an unknown one may mean.
func nearestFlag(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	var names, longer []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, unknown.GetSpecifiedName()) {
			longer = append(longer, "--"+f.Name)
		}
	})
	if says := limitFlag(cmd, unknown.GetSpecifiedName()); says != "" {
		return "; " + says
	}
	if len(longer) > 0 {
		return "; there is " + strings.Join(longer, ", ")
	}
	if near := text.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return "; the nearest is --" + near
	}
	return ""
}

// limitFlag says how a command that takes limits has one that an unknown flag names; "" if it has none.
func limitFlag(cmd *cobra.Command, unknown string) string {
	if cmd.Flags().Lookup("limit") == nil {
		return ""
	}
	if choose, _, err := cmd.Root().Find([]string{"ask", "choose"}); err == nil && choose != cmd &&
		cmd.Flags().Lookup("energy") != nil && choose.Flags().Lookup(unknown) != nil {
		says := "jtune ask choose --" + unknown + " chooses from a model"
		if unknown == "energy-limit" {
			says = "--energy searches for the least energy, " + says
		}
		return says
	}
	of, named := strings.CutSuffix(unknown, "-limit")
	clause := map[string]string{"power": "15 W", "time": "50 ms", "latency": "p99 50 ms", "current": "5 A",
		"voltage": "4.75 V", "temp": "85 C", "temperature": "85 C"}[of]
	if !named || clause == "" {
		return ""
	}
	return "write it as --limit \"" + clause + "\""
}

// valueForm describes the values of a flag.
func valueForm(f *pflag.Flag) string {
	if v, ok := f.Value.(interface{ form() string }); ok {
		return v.form()
	}
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number, 0 at least"
	case "float64":
		return "a number"
	case "intSlice", "float64Slice":
		return "a number, or several with commas"
	case "duration":
		return "a time with its unit, such as 500ms or 2m"
	case "bool":
		return "true or false"
	}
	return f.Value.Type()
}

func (a *app) globals(root *cobra.Command) {
	o, f := &a.options, root.PersistentFlags()
	bind(f, "global", places{"speed": &a.speed, "board": &a.board, "fault": &o.Faults, "ambient": &o.AmbientC.V,
		"batch": &a.batches, "no-color": &a.noColor, "glyphs": &a.glyphs, "help-all": new(bool)}, o)
}

// readGlobals parses the global flags with a grammar; paced: --speed is given.
func (a *app) readGlobals(paced bool) error {
	if err := readBatches(&a.options, a.batches); err != nil {
		return err
	}
	if _, err := a.options.ConfigFile(); err != nil {
		return err
	}
	switch {
	case !paced: // the screens have a rate of their own
		return nil
	case a.speed == "max":
		a.options.Speed = math.Inf(1)
		return nil
	}
	v, err := positive(strings.Trim(a.speed, "x× ")) // the screens show it with ×
	if err != nil {
		return usagef("--speed %q: want a positive number or max", a.speed)
	}
	if v > virtual.Fastest {
		a.note("--speed %s: limited to %d, the fastest real-time rate; max never sleeps", a.speed, virtual.Fastest)
	}
	a.options.Speed = v
	return nil
}

// readBatches parses --batch: sizes, or all sizes in a file.
func readBatches(o *session.Options, words []string) error {
	for _, word := range words {
		if word == "all" {
			o.AllSizes = true
			continue
		}
		b, err := strconv.Atoi(word)
		if err != nil || b < 1 || b > learn.MostBatch {
			return usagef("--batch %s: want 1 to %d, several with commas, or all", word, learn.MostBatch)
		}
		o.Batches = append(o.Batches, b)
	}
	if o.AllSizes && o.Batches != nil {
		return usagef("--batch all and --batch %s exclude each other", text.JoinInts(o.Batches))
	}
	return nil
}

// session opens the device and prints its notice.
func (a *app) session() (*session.Session, error) {
	s, err := session.Open(a.options)
	if err == nil {
		a.notice(s)
	}
	return s, err
}

// notice prints the notice of an open device, and each skipped row.
func (a *app) notice(s *session.Session) {
	a.notes(s.Skipped)
	if len(s.Skipped) == 0 && s.Notice != "" {
		a.note("%s", s.Notice)
	}
}

// notes prints several notes.
func (a *app) notes(list []string) {
	for _, text := range list {
		a.note("%s", text)
	}
}

// note prints a line to standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.err, "jtune: "+format+"\n", args...)
}
