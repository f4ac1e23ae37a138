package cli

import (
	"fmt"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tui/session/pair"
)

// print prints an answer; origin follows its setting.
func (c *pairCmd) print(x pair.Answer, space *tegra.Space, origin string) error {
	if c.asJSON {
		return printJSON(c.out, x)
	}
	how := "predicted, not measured as a pair"
	if x.Row != nil {
		how = fmt.Sprintf("measured as a pair (%s)", text.Count(len(x.Probes), "pair"))
	}
	turns := "no turns"
	if x.Ask.Policy != mix.Free {
		turns = x.Ask.Policy + " turns"
	}
	fmt.Fprintf(c.out, "%s, inference in batches of %d, %s%s; %s\n", space.Format(x.Mode), x.Batch, turns,
		origin, how)
	facts := report.Facts(x.Facts(space.Format))
	if !x.Feasible {
		facts = append(facts, [2]string{"does not meet the limits", x.Why()})
	}
	return append(facts, [2]string{"trains nothing", x.NothingTrains()}).Text(c.out)
}
