package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
)

func (a *app) fidelity() *cobra.Command {
	var only string
	var strict bool
	cmd := &cobra.Command{
		Use:   "fidelity",
		Short: "Hold the virtual boards against the papers' published figures",
		Long: "Works out every hardware figure that the papers print on the virtual boards, and says how many " +
			"tolerances off it is: up to 1 is within, up to 1.5 near. A setting is a number that the simulation " +
			"takes as an input, a stated one needs no simulation, a contradictory one disagrees with figures of its " +
			"own paper. Nothing here is a measurement.",
		Example: "  jtune fidelity --device virtual:nano\n  jtune fidelity --only s2-dvfs --json\n" +
			"  jtune fidelity --device all --strict",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			board, err := fidelityBoard(a.options.Device)
			if err != nil {
				return err
			}
			figures := slices.DeleteFunc(slices.Clone(fidelity.Figures()), func(f fidelity.Figure) bool {
				return board != "" && !f.About(board) || !strings.Contains(f.ID, only)
			})
			switch {
			case len(figures) == 0 && only == "":
				a.note("no published figure is about virtual:%s", board)
			case len(figures) == 0:
				return usagef("--only %s: no figure has that in its name; jtune fidelity lists them", only)
			}
			results, err := fidelity.Evaluate(cmd.Context(), figures, a.options.Seed)
			if err != nil {
				return err
			}
			var fit *fidelity.Fit // of all figures together
			if len(results) == len(fidelity.Figures()) && !a.asCSV {
				all, err := fidelity.FitOf(a.options.Seed)
				if err != nil {
					return err
				}
				fit = &all
			}
			if err := a.printFidelity(results, fit); err != nil || !strict {
				return err
			}
			if lost := fidelity.Lost(results); len(lost) > 0 {
				return fmt.Errorf("fidelity: %d of the figures that held hold no more, %s first", len(lost), lost[0].ID)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&only, "only", "", "only figures with `TEXT` in their name")
	f.BoolVar(&strict, "strict", false, "exit code 1 when a figure that held at the release holds no more")
	f.BoolVar(&a.asCSV, "csv", false, "as CSV, one figure per line")
	a.jsonFlag(f)
	return cmd
}

// fidelityBoard is the board that --device names; "" for all.
func fidelityBoard(device string) (string, error) {
	name, virtualBoard := strings.CutPrefix(device, "virtual:")
	switch {
	case device == "auto" || device == "all":
		return "", nil
	case !virtualBoard:
		return "", usagef("fidelity: --device %s: want all or virtual:NAME", device)
	case !slices.Contains(virtual.Names(), name):
		return "", fmt.Errorf("fidelity: virtual:%s is not simulated; there is virtual:%s: %w", name,
			strings.Join(virtual.Names(), ", virtual:"), tegra.ErrNoDevice)
	}
	return name, nil
}

// fidelityJSON is one figure in `jtune fidelity --json`.
type fidelityJSON struct {
	ID           string             `json:"id"`
	Source       string             `json:"source"`
	Where        string             `json:"where"`
	Device       text.Optional      `json:"device"`
	Workload     text.Optional      `json:"workload"`
	Setup        text.Optional      `json:"configuration"`
	Metric       string             `json:"metric"`
	Published    float64            `json:"published"`
	PublishedMax tegra.Val[float64] `json:"published_max"`
	Unit         string             `json:"unit"`
	Relation     string             `json:"relation"`
	Slack        float64            `json:"slack"`
	Simulated    []float64          `json:"simulated"`
	Off          tegra.Val[float64] `json:"off"`
	OffLeftOut   tegra.Val[float64] `json:"off_left_out"` // once the constants are fitted without its fact
	Verdict      evidence.Verdict   `json:"verdict"`
	Kind         evidence.Kind      `json:"kind"`
	SameAs       text.Optional      `json:"same_as"`
	Note         text.Optional      `json:"note"`
}

func toFidelityJSON(r evidence.Result) fidelityJSON {
	var boards, workloads []string
	for _, j := range r.Jobs {
		if !slices.Contains(boards, j.Board) {
			boards = append(boards, j.Board)
		}
		if j.Workload != "" && !slices.Contains(workloads, j.Workload) {
			workloads = append(workloads, j.Workload)
		}
	}
	return fidelityJSON{ID: r.ID, Source: evidence.Studies[r.Study], Where: r.Where,
		Device: text.Optional(strings.Join(boards, " ")), Workload: text.Optional(strings.Join(workloads, " ")),
		Setup: text.Optional(r.Item), Metric: r.Metric, Published: r.Value,
		PublishedMax: tegra.Val[float64]{V: r.Most, OK: r.Relation == "range"}, Unit: r.Unit, Relation: r.Relation,
		Slack: r.Slack(r.Value), Simulated: listOf(r.Values), Off: tegra.Val[float64]{V: r.Off, OK: !math.IsNaN(r.Off)},
		Verdict: r.Verdict, Kind: r.Kind, SameAs: text.Optional(r.SameAs), Note: text.Optional(r.Why())}
}

func (a *app) printFidelity(results []evidence.Result, fit *fidelity.Fit) error {
	switch {
	case a.asJSON:
		out := struct {
			Virtual bool                       `json:"virtual"`
			Figures []fidelityJSON             `json:"figures"`
			Summary map[string]evidence.Counts `json:"summary"`
			// Of all figures together, else null.
			Constants any `json:"constants"`
			LeftOut   any `json:"left_out"`
		}{Virtual: true, Figures: []fidelityJSON{}, Summary: evidence.Summary(results)}
		if fit != nil {
			out.Constants, out.LeftOut = fit.Constants, fit.LeftOut
		}
		for _, r := range results {
			figure := toFidelityJSON(r)
			if fit != nil {
				figure.OffLeftOut.V, figure.OffLeftOut.OK = fit.Off[r.ID]
			}
			out.Figures = append(out.Figures, figure)
		}
		return printJSON(a.out, out)
	case a.asCSV:
		return a.fidelityCSV(results)
	}
	rows := [][]string{{"figure", "source", "board", "published", "simulated", "off", "verdict"}}
	for _, r := range results {
		off := "–"
		if !math.IsNaN(r.Off) {
			off = fmt.Sprintf("%.1f", r.Off)
		}
		rows = append(rows, []string{r.ID, r.Study + " " + r.Where, r.Place(), publishedText(r.Figure),
			simulatedText(r), off, string(r.Verdict)})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	for _, r := range results {
		if why := r.Why(); why != "" {
			fmt.Fprintf(a.out, "%s, %s: %s\n", r.ID, r.Verdict, why)
		}
	}
	fmt.Fprintln(a.out)
	if err := table(a.out, fidelitySums(results)...); err != nil {
		return err
	}
	if fit != nil {
		c, l := fit.Constants, fit.LeftOut
		fmt.Fprintln(a.out, wrapped(fmt.Sprintf("fitted: %d constants (%.1f effective) to %d of these figures, %d of "+
			"them within; with each fact left out in turn and the constants fitted again to the others (%d facts), "+
			"%d of %d are within", c.Fitted, c.Effective, c.Figures, c.Within, l.Facts, l.Within, l.Figures)))
		if leaning := leaningOnTheFit(results, fit); leaning != nil {
			fmt.Fprintln(a.out, wrapped("within only because they were fitted to, with their tolerances off "+
				"otherwise: "+strings.Join(leaning, ", ")))
		}
	}
	_, err := fmt.Fprintln(a.out, fidelity.Simulation)
	return err
}

// leaningOnTheFit are the figures that are within, but not when the fit has not seen their fact.
func leaningOnTheFit(results []evidence.Result, fit *fidelity.Fit) (out []string) {
	for _, r := range results {
		if off := fit.Off[r.ID]; r.Verdict == evidence.Within && off > 1 {
			out = append(out, fmt.Sprintf("%s (%.2f)", r.ID, off))
		}
	}
	return out
}

func publishedText(f evidence.Figure) string {
	relation := map[string]string{"lt": "< ", "le": "≤ ", "gt": "> ", "ge": "≥ ", "approx": "~ "}[f.Relation]
	value := number(f.Value)
	if f.Relation == "range" {
		value += " to " + number(f.Most)
	}
	return strings.TrimSpace(relation + value + " " + f.Unit)
}

// number prints a value with four digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// simulatedText is one value, or the least and most of several.
func simulatedText(r evidence.Result) string {
	switch n := len(r.Values); {
	case n == 0:
		return "–"
	case slices.Min(r.Values) == slices.Max(r.Values):
		return number(r.Values[0])
	default:
		return number(slices.Min(r.Values)) + " to " + number(slices.Max(r.Values))
	}
}

// fidelitySums are the counts by board, and of all.
func fidelitySums(results []evidence.Result) [][]string {
	rows := [][]string{{"board", "figures", "hold", "simulated", "within", "each fact once", "near", "outside",
		"settings", "stated", "contradictory", "not simulated"}}
	sums := evidence.Summary(results)
	for _, place := range append(virtual.Names(), evidence.Several, evidence.Other, evidence.All) {
		c, ok := sums[place]
		if !ok {
			continue
		}
		row := []string{place}
		for _, n := range []int{c.Total(), c.Holding(), c.Simulated, c.Within} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, fmt.Sprintf("%d of %d", c.OnceWithin, c.Simulated-c.Restatements))
		for _, n := range []int{c.Near, c.Outside, c.Settings, c.Stated, c.Contradictory, c.NotSimulated} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return rows
}

func (a *app) fidelityCSV(results []evidence.Result) error {
	w := csv.NewWriter(a.out)
	rows := [][]string{{"id", "source", "where", "board", "metric", "unit", "relation", "published", "published_max",
		"slack", "simulated", "off", "verdict", "kind", "same_as", "note", "virtual"}}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, r := range results {
		most, off, values := "", "", []string{}
		if r.Relation == "range" {
			most = exact(r.Most)
		}
		if !math.IsNaN(r.Off) {
			off = exact(r.Off)
		}
		for _, v := range r.Values {
			values = append(values, exact(v))
		}
		rows = append(rows, []string{r.ID, evidence.Studies[r.Study], r.Where, r.Place(), r.Metric, r.Unit, r.Relation,
			exact(r.Value), most, exact(r.Slack(r.Value)), strings.Join(values, " "), off, string(r.Verdict),
			string(r.Kind), r.SameAs, r.Why(), "true"})
	}
	return w.WriteAll(rows)
}
