package cli

import (
	"cmp"
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

	"jtune/internal/document"
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
	Boards []string
	Group  string
}

func newFleet(a *app) *cobra.Command {
	u := onBoards{a, &boardNames{}}
	return group("fleet", "", newFleetWatch(u), newFleetDoctor(u), newFleetTune(u),
		newFleetProfile(u), was(newFleetRank(u), "rank"),
		newFleetApply(u), newFleetInstall(u))
}

// selected is what selects boards.
func (u onBoards) selected() shared { return the("boards", u.boardNames) }

// boards returns the selected boards.
func (u onBoards) boards() ([]fleet.Board, error) {
	all, err := u.options.Boards()
	if err != nil {
		return nil, err
	}
	picked, err := fleet.Pick(all, u.Boards, u.Group)
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
// board's command; nil: only that it went well.
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
			if say != nil {
				row.say = cmp.Or(say(doc), row.say)
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
	t := document.Table{Head: []string{"board", "exit", ""}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Board, fmt.Sprintf("%4d", r.Code), r.say})
	}
	return u.show(rows, t)
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

// newFleetWatch makes `jtune fleet watch`.
func newFleetWatch(u onBoards) *cobra.Command {
	c := struct {
		Interval time.Duration
		Count    int
	}{Interval: 5 * time.Second}
	return u.command("fleet watch", nil, func(ctx context.Context) error {
		clock := tegra.RealClock()
		for n := 1; ; n++ {
			list, err := u.onEach(ctx, roundTime, "watch", "--count", "1", "--json")
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			err = u.printFleet(list, sayReading)
			if _, other := errors.AsType[exitError](err); n == c.Count || err != nil && !other {
				return err
			}
			if err := clock.Sleep(ctx, c.Interval); err != nil {
				return err
			}
		}
	}, &c, u.selected())
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

// newFleetDoctor makes `jtune fleet doctor`.
func newFleetDoctor(u onBoards) *cobra.Command {
	return u.command("fleet doctor", nil, func(ctx context.Context) error {
		list, err := u.onEach(ctx, doctorTime, "doctor", "--json")
		if err != nil {
			return err
		}
		return u.printFleet(list, func(doc []byte) string {
			return fieldsOf[struct{ Verdict struct{ Text string } }](doc).Verdict.Text
		})
	}, u.selected())
}

// newFleetTune makes `jtune fleet tune`.
func newFleetTune(u onBoards) *cobra.Command {
	return u.command("fleet tune", cobra.MinimumNArgs(1), func(ctx context.Context) error {
		list, err := u.onEach(ctx, 0, append(append([]string{"tune"}, u.args...), "--json")...)
		if err != nil {
			return err
		}
		return u.printFleet(list, sayAnswer)
	}, u.selected())
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

// newFleetProfile makes `jtune fleet profile`.
func newFleetProfile(u onBoards) *cobra.Command {
	c := struct {
		Out     string
		Retries int
	}{Retries: 3}
	return u.command("fleet profile", cobra.MinimumNArgs(1), func(ctx context.Context) error {
		dir := filepath.Clean(c.Out)
		boards, err := u.boards()
		if err != nil {
			return err
		}
		if _, err := os.Lstat(dir); err == nil {
			return usagef("--out %s is there already: give a new folder", dir)
		}
		shards, err := fleet.OpenShards(dir+".parts", boards, u.args)
		if errors.Is(err, fleet.ErrOtherPlan) {
			return usagef("%w", err)
		}
		if err != nil {
			return err
		}
		line := u.reports()
		list := fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
			r := shards.Measure(ctx, b, c.Retries, line(b))
			r.Out = "" // drop the text summary
			return r
		})
		if fleet.Worst(list) == exitOK {
			var notes []string
			notes, err = campaigns.Merge(shards.Parts(), dir)
			if u.notes(notes); err != nil {
				return err
			}
			u.note("joined in %s", dir)
		} else {
			u.note("the parts that are finished are in %s.parts: the same command continues with the others", dir)
		}
		return u.printFleet(list, nil)
	}, &c, u.selected())
}

// fleetRankCmd is `jtune fleet rank`.
type fleetRankCmd struct {
	onBoards
	rank rankCmd
}

func newFleetRank(u onBoards) *cobra.Command {
	c := &fleetRankCmd{onBoards: u, rank: rankCmd{onModels: onModels{u.app}, by: rank.ByTime}}
	return u.command("fleet rank", cobra.MaximumNArgs(1), c.run,
		places{"sort": among(&c.rank.by, rank.ByTime, rank.ByEnergy, rank.ByEDP)}, &c.rank, u.selected())
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
	c.rank.Models = map[string]string{}
	for _, got := range list {
		if got.Err != nil {
			c.note("%s: %v", got.Board.Name, got.Err)
			continue
		}
		c.rank.Models[got.Board.Name] = filepath.Join(dir, got.Board.Name)
	}
	if len(c.rank.Models) == 0 {
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
