package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/lab/claims"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/reproduce"
)

func (a *app) reproduce() *cobra.Command {
	var o reproduce.Options
	var svg string
	var ledger, plots bool
	var names, lines []string
	for _, s := range reproduce.Studies {
		names = append(names, s.Name)
		lines = append(lines, fmt.Sprintf("  %-17s %s", s.Name, s.Title))
	}
	cmd := &cobra.Command{
		Use:   "reproduce [NAME|all]",
		Short: "Run the papers' studies again, beside what they published",
		Long: "Runs a study of the papers again and prints its own results beside the published ones, how far they " +
			"may be off, and the verdict. The studies:\n\n" + strings.Join(lines, "\n") + "\n\n" +
			"Where --sweeps has a sweep that was measured on a board, named " + reproduce.SweepFile("BOARD/WORKLOAD") +
			", it is used; else a virtual board stands in, and the result says that it is simulated.\n\n" +
			"--claims lists the take-aways of the papers, each with pass, fail or not testable here, and its numbers.",
		Example: "  jtune reproduce four-modes\n  jtune reproduce all --quick --svg plots\n" +
			"  jtune reproduce --claims --quick",
		Args: takes(cobra.MaximumNArgs(1)), ValidArgs: append([]string{"all"}, names...),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && !ledger:
				return usagef("reproduce: want a study, all, or --claims; studies: %s", strings.Join(names, ", "))
			case len(args) > 0 && ledger:
				return usagef("reproduce --claims takes no study")
			case len(args) > 0 && args[0] != "all":
				if !slices.Contains(names, args[0]) {
					return usagef("reproduce %s: no such study; there are %s, all", args[0], strings.Join(names, ", "))
				}
				o.Studies = args
			}
			if o.Sweeps != "" {
				if info, err := os.Stat(o.Sweeps); err != nil || !info.IsDir() {
					return usagef("--sweeps %s: is no folder", o.Sweeps)
				}
			}
			o.Seed = a.options.Seed
			o.Progress = func(done, total int, study string) {
				a.note("%d of %d: %s", done+1, total, study)
			}
			if ledger {
				judged, err := claims.Ledger(cmd.Context(), o)
				if err != nil {
					return err
				}
				return a.printClaims(judged)
			}
			reports, err := reproduce.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			if err := a.drawStudies(svg, reports); err != nil {
				return err
			}
			return a.printStudies(reports, plots)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&ledger, "claims", false, "list the papers' take-aways and how they stand")
	f.BoolVar(&o.Quick, "quick", false, "one sample of modes in place of several, smaller references, and fewer steps "+
		"of networks: to see that all runs, not for figures to quote")
	f.BoolVar(&plots, "plot", false, "draw the results in the terminal too")
	f.StringVar(&o.Sweeps, "sweeps", "", "`DIR` with measured sweeps")
	f.StringVar(&svg, "svg", "", "draw the results as SVG files in `DIR`")
	f.BoolVar(&a.asCSV, "csv", false, "as CSV, one result per line")
	a.jsonFlag(f)
	return cmd
}

// studyJSON is one result in `jtune reproduce --json`.
type studyJSON struct {
	Study        string             `json:"study"`
	Item         string             `json:"item"`
	ID           string             `json:"id"`
	Source       string             `json:"source"`
	Where        string             `json:"where"`
	Metric       string             `json:"metric"`
	Own          tegra.Val[float64] `json:"own"` // the worst of Values
	Values       []float64          `json:"values"`
	Published    float64            `json:"published"`
	PublishedMax tegra.Val[float64] `json:"published_max"`
	Unit         string             `json:"unit"`
	Relation     string             `json:"relation"`
	Tolerance    float64            `json:"tolerance"`
	Verdict      evidence.Verdict   `json:"verdict"`
	Simulated    bool               `json:"simulated"`
	Virtual      bool               `json:"virtual"`
	Note         text.Optional      `json:"note"`
}

func toStudyJSON(r evidence.Result) studyJSON {
	worst := r.Worst()
	return studyJSON{Study: r.Group, Item: r.Item, ID: r.ID, Source: evidence.Studies[r.Study], Where: r.Where,
		Metric: r.Metric, Own: tegra.Val[float64]{V: worst, OK: !math.IsNaN(worst)}, Values: listOf(r.Values),
		Published: r.Value, PublishedMax: tegra.Val[float64]{V: r.Most, OK: r.Relation == "range"}, Unit: r.Unit,
		Relation: r.Relation, Tolerance: r.Slack(r.Value), Verdict: r.Verdict, Simulated: r.Simulated,
		Virtual: r.Simulated, Note: text.Optional(r.Why())}
}

// drawStudies writes the figures of studies as SVG; "" for dir: none.
func (a *app) drawStudies(dir string, reports []reproduce.Report) error {
	var all []figure.Figure
	for _, r := range reports {
		all = append(all, r.Drawn...)
	}
	return a.drawFigures(dir, all)
}

// drawFigures writes figures as SVG, each under the name of its kind; "" for dir: none.
func (a *app) drawFigures(dir string, list []figure.Figure) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range list {
		path := filepath.Join(dir, f.Kind+".svg")
		if err := writeFile(path, export.FigureSVG(f)); err != nil {
			return err
		}
		a.note("%s: %s", path, f.Title)
	}
	return nil
}

func (a *app) printStudies(reports []reproduce.Report, plots bool) error {
	var all []studyJSON
	for _, r := range reports {
		for _, f := range r.Results {
			all = append(all, toStudyJSON(f))
		}
	}
	switch {
	case a.asJSON:
		return printJSON(a.out, listOf(all))
	case a.asCSV:
		return a.studiesCSV(all)
	}
	for _, r := range reports {
		fmt.Fprintf(a.out, "%s: %s\n\n", r.Study.Name, r.Study.Title)
		if err := a.printStudy(r, plots); err != nil {
			return err
		}
	}
	n := reproduce.Counts(reports)
	_, err := fmt.Fprintf(a.out, "%d published results: %d hold, %d near, %d outside, %d without an own value\n",
		len(all), n.Holding(), n.Near, n.Outside, n.Contradictory+n.NotSimulated)
	return err
}

// printStudy prints one study: its results, its tables, reasons and sources.
func (a *app) printStudy(r reproduce.Report, plots bool) error {
	if len(r.Results) > 0 {
		rows := [][]string{{"result", "item", "own", "published", "tolerance", "verdict", ""}}
		for _, f := range r.Results {
			own := "–"
			if w := f.Worst(); !math.IsNaN(w) {
				own = strings.TrimSpace(number(w) + " " + f.Unit)
			}
			rows = append(rows, []string{f.ID, text.Clip(f.Item), own, publishedText(f.Figure),
				"± " + number(f.Slack(f.Value)), string(f.Verdict), simulatedMark(f.Simulated)})
		}
		if err := table(a.out, rows...); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	for _, t := range r.Tables {
		fmt.Fprintln(a.out, t.Title)
		rows := [][]string{append(slices.Clone(t.Head), "")}
		for _, row := range t.Rows {
			rows = append(rows, append(append([]string{row.Item}, row.Cells...), simulatedMark(row.Simulated)))
		}
		if err := table(a.out, rows...); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	if plots {
		for _, f := range r.Drawn {
			if err := a.printFigure(f, plotRequest{}); err != nil {
				return err
			}
			fmt.Fprintln(a.out)
		}
	}
	for _, f := range r.Results {
		if why := f.Why(); why != "" {
			fmt.Fprintf(a.out, "%s, %s: %s\n", f.ID, f.Verdict, why)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(a.out, n)
	}
	_, err := fmt.Fprintln(a.out)
	return err
}

func simulatedMark(simulated bool) string {
	if simulated {
		return "VIRTUAL"
	}
	return ""
}

func (a *app) studiesCSV(all []studyJSON) error {
	w := csv.NewWriter(a.out)
	rows := [][]string{{"study", "item", "id", "own", "published", "published_max", "unit", "relation", "tolerance",
		"verdict", "simulated", "virtual"}}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, r := range all {
		own, most := "", ""
		if r.Own.OK {
			own = exact(r.Own.V)
		}
		if r.PublishedMax.OK {
			most = exact(r.PublishedMax.V)
		}
		rows = append(rows, []string{r.Study, r.Item, r.ID, own, exact(r.Published), most, r.Unit, r.Relation,
			exact(r.Tolerance), string(r.Verdict), strconv.FormatBool(r.Simulated), strconv.FormatBool(r.Virtual)})
	}
	return w.WriteAll(rows)
}

// claimJSON is one claim in `jtune reproduce --claims --json`.
type claimJSON struct {
	ID        string            `json:"id"`
	Claim     string            `json:"claim"`
	Source    string            `json:"source"`
	Where     string            `json:"where"`
	Outcome   claims.Outcome    `json:"outcome"`
	Holding   int               `json:"holding"`
	Figures   int               `json:"figures"`
	Simulated bool              `json:"simulated"`
	Virtual   bool              `json:"virtual"`
	Evidence  []claims.Evidence `json:"evidence"`
}

func (a *app) printClaims(judged []claims.Judged) error {
	list := []claimJSON{}
	for _, j := range judged {
		list = append(list, claimJSON{j.ID, j.Sentence, evidence.Studies[j.Study], j.Where, j.Outcome, j.Holding,
			len(j.Evidence), j.Simulated, j.Simulated, listOf(j.Evidence)})
	}
	switch {
	case a.asJSON:
		return printJSON(a.out, list)
	case a.asCSV:
		w := csv.NewWriter(a.out)
		rows := [][]string{{"id", "claim", "source", "where", "outcome", "holding", "figures", "simulated", "virtual"}}
		for _, c := range list {
			rows = append(rows, []string{c.ID, c.Claim, c.Source, c.Where, string(c.Outcome), strconv.Itoa(c.Holding),
				strconv.Itoa(c.Figures), strconv.FormatBool(c.Simulated), strconv.FormatBool(c.Virtual)})
		}
		return w.WriteAll(rows)
	}
	count := map[claims.Outcome]int{}
	for _, c := range list {
		count[c.Outcome]++
		fmt.Fprintf(a.out, "%s  %s (%s)\n", strings.ToUpper(string(c.Outcome)), c.Claim, c.Where)
		var numbers []string
		for _, e := range c.Evidence {
			var own []string
			for _, v := range e.Own {
				own = append(own, number(v))
			}
			numbers = append(numbers, strings.TrimSpace(fmt.Sprintf("%s %s, published %s %s (%s)", e.ID,
				strings.Join(own, " "), number(e.Published), e.Unit, e.Verdict)))
		}
		fmt.Fprintf(a.out, "    %d of %d figures hold%s: %s\n", c.Holding, c.Figures,
			map[bool]string{true: ", VIRTUAL"}[c.Simulated], strings.Join(numbers, "; "))
	}
	_, err := fmt.Fprintf(a.out, "\n%d claims: %d pass, %d fail, %d not testable here; a claim passes when more than "+
		"two thirds of its figures hold\n", len(list), count[claims.Pass], count[claims.Fail],
		count[claims.NotTestable])
	return err
}
