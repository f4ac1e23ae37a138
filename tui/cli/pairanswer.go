package cli

import (
	"fmt"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tui/session/pair"
)

// print prints an answer; origin follows its setting.
func (c *pairCmd) print(x pair.Answer, space *tegra.Space, origin string) error {
	how := "predicted, not measured as a pair"
	if x.Row != nil {
		how = fmt.Sprintf("measured as a pair (%s)", text.Count(len(x.Probes), "pair"))
	}
	turns := "no turns"
	if x.Ask.Policy != mix.Free {
		turns = x.Ask.Policy + " turns"
	}
	facts := x.Facts(space.Format)
	if !x.Feasible {
		facts = append(facts, [2]string{"does not meet the limits", x.Why()})
	}
	return c.show(x, document.Line(fmt.Sprintf("%s, inference in batches of %d, %s%s; %s", space.Format(x.Mode),
		x.Batch, turns, origin, how)), append(facts, [2]string{"trains nothing", x.NothingTrains()}))
}
