package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/rank"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/fleet"
)

// onBoards is app with the boards selected by the flags of fleet.
type onBoards struct {
	*app
	*boardNames
}

type boardNames struct {
	names []string
	of    string // name of a group
}

func newFleet(a *app) *cobra.Command {
	u := onBoards{a, &boardNames{}}
	return group("fleet", "", newFleetWatch(u), newFleetDoctor(u), newFleetTune(u),
		newFleetProfile(u), was(newFleetRank(u), "rank"),
		newFleetApply(u), newFleetInstall(u))
}

// selected adds the flags that select boards.
func (u onBoards) selected(f *pflag.FlagSet) {
	bind(f, "boards", places{"boards": &u.names, "group": &u.of})
}

// boards returns the selected boards.
func (u onBoards) boards() ([]fleet.Board, error) {
	all, err := u.options.Boards()
	if err != nil {
		return nil, err
	}
	picked, err := fleet.Pick(all, u.names, u.of)
	if err != nil {
		return nil, usagef("fleet: %w", err)
	}
	return picked, nil
}

// fleetRow is a board's line, and its element in --json.
type fleetRow struct {
	Board   string          `json:"board"`
	Code    int             `json:"exit_code"`
	Error   text.Optional   `json:"error"`
	Virtual tegra.Val[bool] `json:"virtual"` // absent if the board did not report it
	Result  json.RawMessage `json:"result"`  // document of the board's command; null if there is none
	say     string
}

// printFleet prints a line for each board and returns the worst exit code as an error. say formats the document of the
// board's command.
func (u onBoards) printFleet(list []fleet.Result, say func(doc []byte) string) error {
	var rows []fleetRow
	for _, r := range list {
		row := fleetRow{Board: r.Board.Name, Code: r.Code, say: "ok"}
		if doc := []byte(strings.TrimSpace(r.Out)); json.Valid(doc) {
			var of struct{ Virtual *bool }
			row.Result = doc
			if json.Unmarshal(doc, &of) == nil && of.Virtual != nil {
				row.Virtual = tegra.Some(*of.Virtual)
			}
			if said := say(doc); said != "" {
				row.say = said
			}
		} else if len(doc) > 0 {
			row.say = text.OneLine(string(doc))
		}
		if r.Err != nil {
			row.Error = text.Optional(text.OneLine(r.Err.Error()))
			row.say = "failed: " + string(row.Error)
		}
		if row.Virtual.V && !strings.Contains(strings.ToLower(row.say), "virtual") {
			row.say = "VIRTUAL " + row.say
		}
		rows = append(rows, row)
	}
	if err := u.printRows(rows); err != nil {
		return err
	}
	if code := fleet.Worst(list); code != exitOK {
		return exitError(code)
	}
	return nil
}

func (u onBoards) printRows(rows []fleetRow) error {
	if u.asJSON {
		return printJSON(u.out, rows)
	}
	list := [][]string{{"board", "exit", ""}}
	for _, r := range rows {
		list = append(list, []string{r.Board, fmt.Sprintf("%4d", r.Code), r.say})
	}
	return report.Grid(u.out, list...)
}

// reports gives each board a function that prints a line to standard error, prefixed with the board's name.
func (u onBoards) reports() func(b fleet.Board) func(string) {
	var mu sync.Mutex
	return func(b fleet.Board) func(string) {
		return func(line string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(u.err, "%s: %s\n", b.Name, line)
		}
	}
}

// onEach runs a jtune command on each board, with a time limit; 0: none.
func (u onBoards) onEach(ctx context.Context, within time.Duration, args ...string) ([]fleet.Result, error) {
	boards, err := u.boards()
	if err != nil {
		return nil, err
	}
	line := u.reports()
	return fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
		return b.Do(ctx, fleet.Call{Shell: b.Command(args...), Line: line(b), Within: within})
	}), nil
}

// fieldsOf parses fields of another jtune's document.
func fieldsOf[T any](doc []byte) (v T) {
	_ = json.Unmarshal(doc, &v) // absent fields stay zero
	return v
}

// Maximum times for a board's answer.
const (
	roundTime  = 30 * time.Second // a round of watch
	doctorTime = 5 * time.Minute  // doctor measures the cost of reading
)

// fleetWatchCmd is `jtune fleet watch`.
type fleetWatchCmd struct {
	onBoards
	interval time.Duration
	count    int
}

func newFleetWatch(u onBoards) *cobra.Command {
	return command(&fleetWatchCmd{onBoards: u, interval: 5 * time.Second}, "fleet watch", nil)
}

func (c *fleetWatchCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	bind(f, "fleet watch", places{"interval": &c.interval, "count": &c.count})
	c.jsonFlag(f, "one JSON array per round")
}

func (c *fleetWatchCmd) run(ctx context.Context) error {
	clock := tegra.RealClock()
	for n := 1; ; n++ {
		list, err := c.onEach(ctx, roundTime, "watch", "--count", "1", "--json")
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err = c.printFleet(list, sayReading)
		if _, other := errors.AsType[exitError](err); n == c.count || err != nil && !other {
			return err
		}
		if err := clock.Sleep(ctx, c.interval); err != nil {
			return err
		}
	}
}

func sayReading(doc []byte) string {
	r := fieldsOf[struct {
		Device string
		W      *float64 `json:"total_power_w"`
		GPU    struct {
			Load *float64 `json:"load_pct"`
		}
		Hot bool
	}](doc)
	optional := func(v *float64, unit string) string {
		if v == nil {
			return "n/a " + unit
		}
		return text.Of(*v) + " " + unit
	}
	out := fmt.Sprintf("%s  %s  GPU %s", r.Device, optional(r.W, "W"), optional(r.GPU.Load, "%"))
	if r.Hot {
		out += "  HOT"
	}
	return out
}

// fleetDoctorCmd is `jtune fleet doctor`.
type fleetDoctorCmd struct{ onBoards }

func newFleetDoctor(u onBoards) *cobra.Command {
	return command(&fleetDoctorCmd{u}, "fleet doctor", nil)
}

func (c *fleetDoctorCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	c.jsonFlag(f, asDocument)
}

func (c *fleetDoctorCmd) run(ctx context.Context) error {
	list, err := c.onEach(ctx, doctorTime, "doctor", "--json")
	if err != nil {
		return err
	}
	return c.printFleet(list, func(doc []byte) string {
		return fieldsOf[struct{ Verdict struct{ Text string } }](doc).Verdict.Text
	})
}

// fleetTuneCmd is `jtune fleet tune`.
type fleetTuneCmd struct{ onBoards }

func newFleetTune(u onBoards) *cobra.Command {
	return command(&fleetTuneCmd{u}, "fleet tune", cobra.MinimumNArgs(1))
}

func (c *fleetTuneCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	c.jsonFlag(f, asDocument)
}

func (c *fleetTuneCmd) run(ctx context.Context) error {
	list, err := c.onEach(ctx, 0, append(append([]string{"tune"}, c.args...), "--json")...)
	if err != nil {
		return err
	}
	return c.printFleet(list, sayAnswer)
}

// sayAnswer formats the document of tune in words.
func sayAnswer(doc []byte) string {
	r := fieldsOf[struct {
		Mode     tegra.Mode
		Measured *struct {
			MS float64 `json:"time_ms"`
			W  float64 `json:"power_w"`
		}
	}](doc)
	if r.Measured == nil {
		return r.Mode.String()
	}
	return fmt.Sprintf("%v  %s ms  %s W", r.Mode, text.Of(r.Measured.MS), text.Of(r.Measured.W))
}

// fleetProfileCmd is `jtune fleet profile`.
type fleetProfileCmd struct {
	onBoards
	dir   string
	tries int
}

func newFleetProfile(u onBoards) *cobra.Command {
	return command(&fleetProfileCmd{onBoards: u, tries: 3}, "fleet profile", cobra.MinimumNArgs(1))
}

func (c *fleetProfileCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	bind(f, "fleet profile", places{"out": &c.dir, "retries": &c.tries})
	c.jsonFlag(f, asDocument)
}

func (c *fleetProfileCmd) run(ctx context.Context) error {
	c.dir = filepath.Clean(c.dir)
	boards, err := c.boards()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.dir); err == nil {
		return usagef("--out %s is there already: give a new folder", c.dir)
	}
	shards, err := fleet.OpenShards(c.dir+".parts", boards, c.args)
	if errors.Is(err, fleet.ErrOtherPlan) {
		return usagef("%w", err)
	}
	if err != nil {
		return err
	}
	line := c.reports()
	list := fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
		r := shards.Measure(ctx, b, c.tries, line(b))
		r.Out = "" // drop the text summary
		return r
	})
	if fleet.Worst(list) != exitOK {
		c.note("the parts that are finished are in %s.parts: the same command continues with the others", c.dir)
		return c.printFleet(list, func([]byte) string { return "" })
	}
	notes, err := campaigns.Merge(shards.Parts(), c.dir)
	c.notes(notes)
	if err != nil {
		return err
	}
	c.note("joined in %s", c.dir)
	return c.printFleet(list, func([]byte) string { return "" })
}

// fleetRankCmd is `jtune fleet rank`.
type fleetRankCmd struct {
	onBoards
	rank rankCmd
}

func newFleetRank(u onBoards) *cobra.Command {
	c := &fleetRankCmd{onBoards: u, rank: rankCmd{onModels: onModels{u.app}, by: rank.ByTime}}
	return command(c, "fleet rank", cobra.MaximumNArgs(1))
}

func (c *fleetRankCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	c.rank.flags(f)
}

func (c *fleetRankCmd) run(ctx context.Context) error {
	if len(c.args) == 0 {
		return c.rank.run(ctx)
	}
	dir, err := os.MkdirTemp("", "jtune-fleet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	boards, err := c.boards()
	if err != nil {
		return err
	}
	line := c.reports()
	list := fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
		return fleet.FetchModel(ctx, b, c.args[0], filepath.Join(dir, b.Name), line(b))
	})
	c.rank.models = map[string]string{}
	for _, got := range list {
		if got.Err != nil {
			c.note("%s: %v", got.Board.Name, got.Err)
			continue
		}
		c.rank.models[got.Board.Name] = filepath.Join(dir, got.Board.Name)
	}
	if len(c.rank.models) == 0 {
		return fmt.Errorf("no board has a model of %s: jtune fleet tune makes them", text.Clip(c.args[0]))
	}
	if err := c.rank.run(ctx); err != nil {
		return err
	}
	if code := fleet.Worst(list); code != exitOK {
		return exitError(code)
	}
	return nil
}
