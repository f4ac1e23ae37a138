package campaigns

import (
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
)

// OrderText lists the first settings in order. An arrow marks those that raise a clock above that of the setting
// before; after is the mode before the first.
func OrderText(list []tegra.Setting, after tegra.Val[tegra.Mode], mode func(m tegra.Mode) string, most int) string {
	up := Raised(list, after)
	var words []string
	for i, at := range list[:min(len(list), most)] {
		word := mode(at.Mode) + text.IfAny(" bs %d", at.Batch)
		if up[i] {
			word = "↑" + word
		}
		words = append(words, word)
	}
	if more := len(list) - most; more > 0 {
		words = append(words, fmt.Sprintf("and %s more", text.Thousands(more)))
	}
	return strings.Join(words, ", ")
}

// Raised reports for each setting whether its CPU or GPU clock is above that of the setting before; boards that accept
// only falling clocks reject such a step. after is the mode before the first.
func Raised(list []tegra.Setting, after tegra.Val[tegra.Mode]) []bool {
	out := make([]bool, len(list))
	for i, at := range list {
		out[i] = after.OK && profiles.Raises(after.V, at.Mode)
		after = tegra.Some(at.Mode)
	}
	return out
}

// PlanText describes what a plan measures: "6 random modes of cores>=4, 3 times each".
func PlanText(p record.PlanHeader, search *record.SearchHeader) string {
	thing, out := tegra.NameOfSettings(p.Batches), p.Kind
	switch {
	case p.Kind == TuneKind && search != nil && search.Strategy != "auto" && search.Strategy != "":
		out = search.Strategy + " search, " + p.Source
	case p.Kind == TuneKind && search != nil && search.Coverage == CoverFront:
		out = "front search, " + p.Source
	case p.Kind == TuneKind:
		out = "search, " + p.Source
	case p.Kind == ModesKind && search != nil:
		out = "front search, " + text.Count(p.Modes, thing)
	case p.Kind == ModesKind:
		out = text.Count(p.Modes, "chosen "+thing)
	case p.Kind == "sample":
		if out = text.Count(p.Modes, "random "+thing); p.Source == GridSource {
			out += " of the grid"
		}
	case p.Kind == "grid":
		out = "the grid, " + text.Count(p.Modes, thing)
	case p.Kind == "filter":
		out = "all " + text.Count(p.Modes, thing)
	case p.Kind == "list":
		out = text.Count(p.Modes, "listed "+thing)
	case p.Kind == VerifyKind:
		out = "verification"
	case p.Kind == "front":
		out = "verification of the front, " + text.Count(p.Modes, thing)
	case p.Kind == RunKind && p.Source == SoakSource:
		out = "soak"
	case p.Kind == RunKind:
		out = "single run"
	case p.Source != "": // an experiment, an import
		out += " " + p.Source
	}
	out = strings.TrimSuffix(out, ", ") // of a search that does not say for what
	if p.Filter != "" {
		out += " of " + p.Filter
	}
	if p.Repeats > 1 {
		out += fmt.Sprintf(", %d times each", p.Repeats)
	}
	if p.Shard != "" {
		out += ", part " + p.Shard
	}
	return out
}
