package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/savedanswers"
)

// modelColumns are the columns of the lists of models.
func modelColumns() report.Table[models.Info] { return models.Columns(time.Now) }

// modelsCmd is `jtune models` and its subcommands.
type modelsCmd struct {
	*app
	Keep    string
	Deleted bool
}

func newModels(a *app) *cobra.Command {
	c := &modelsCmd{app: a}
	cmd := a.command("models", cobra.MaximumNArgs(1), c.run, c)
	cmd.AddCommand(a.command("models list", nil, c.list, c), a.verb("models show", 1, 1, c.show),
		a.verb("models keep", 1, 1, c.keep))
	cmd.AddCommand(shelfVerbs(a, "models", func() campaigns.Shelf { return models.Shelf(a.options.Paths) })...)
	return cmd
}

func (c *modelsCmd) run(context.Context) error {
	if c.Keep != "" {
		return c.keep([]string{c.Keep})
	}
	load := learn.LoadUnfitted
	if c.asJSON { // which has the networks
		load = learn.Load
	}
	list, err := c.find(c.args, load)
	switch {
	case err != nil:
		return err
	case len(c.args) == 0:
		return c.printAll(list)
	}
	return c.app.show(modelColumns().Objects(list), c.facts(list[0], nil))
}

func (c *modelsCmd) show(args []string) error {
	all, err := c.find(args, nil)
	if err != nil {
		return err
	}
	one, from := all[0], all[0].Model.Provenance
	var off []savedanswers.Off
	if known, err := campaigns.List(c.options.Paths); err == nil && one.Path != "" && from.Workload != "" {
		off = savedanswers.CalculatedOff(known, from)
	}
	object := append(modelColumns().Object(one), [2]any{"calculated_off", report.IfAny(off)})
	return c.app.show(object, c.facts(one, off))
}

func (c *modelsCmd) list(context.Context) error {
	if c.Deleted {
		gone, err := models.Deleted(c.options.Paths)
		if err != nil {
			return err
		}
		names := []string{}
		for _, info := range gone {
			names = append(names, info.Name)
		}
		return c.app.show(names, document.Line(strings.Join(names, "\n")))
	}
	all, err := c.find(nil, learn.LoadUnfitted)
	if err != nil {
		return err
	}
	return c.printAll(all)
}

// find returns the shipped references and all kept models, which load reads, or the one that the arguments name. A list
// fits nothing: it notes the models that are not fitted yet.
func (c *modelsCmd) find(args []string, load func(string) (*learn.Model, error)) ([]models.Info, error) {
	switch {
	case len(args) == 0:
	case args[0] == learn.ShippedName:
		return []models.Info{models.Shipped()}, nil
	default:
		m, err := c.at(args[0])
		return []models.Info{m}, err
	}
	list := []models.Info{models.Shipped()}
	kept, err := models.Kept(c.options.Paths, load)
	if err != nil {
		return nil, err
	}
	if err := c.noteUnfitted(kept); err != nil {
		return nil, err
	}
	for _, info := range kept {
		if list = append(list, info); info.Err != nil {
			c.note("%s is unreadable: %v", info.Name, info.Err)
		}
	}
	return list, nil
}

// mostUnfitted is the maximum number of workloads in a note.
const mostUnfitted = 5

// noteUnfitted lists the workloads with modes of killed programs that no model has learned.
func (c *modelsCmd) noteUnfitted(kept []models.Info) error {
	list, err := models.FindUnfitted(c.options, kept)
	if err != nil || len(list) == 0 {
		return err
	}
	var some []string
	for _, u := range list[:min(mostUnfitted, len(list))] {
		some = append(some, fmt.Sprintf("%s (%s)", u.Workload, text.Count(u.Modes, "mode")))
	}
	if more := len(list) - len(some); more > 0 {
		some = append(some, fmt.Sprintf("%d more", more))
	}
	c.note("not fitted yet, as the program that measured was killed: %s; the next use of such a model fits it, as "+
		"jtune models show %s does", strings.Join(some, ", "), list[0].Workload)
	return nil
}

// at reads a model file by its path or name.
func (c *modelsCmd) at(nameOrPath string) (models.Info, error) {
	m, path, _, err := models.Find(c.options, nameOrPath)
	if err != nil {
		return models.Info{}, err
	}
	info := models.Info{Name: strings.TrimSuffix(filepath.Base(path), ".model"), Path: path, Model: m}
	if st, err := os.Stat(path); err == nil {
		info.Modified = st.ModTime()
	}
	return info, nil
}

func (c *modelsCmd) printAll(list []models.Info) error {
	if err := printTable(c.app, modelColumns(), list); err != nil || c.asJSON {
		return err
	}
	c.note("%s is inside this program; the others are in %s. jtune models NAME shows one", learn.ShippedName,
		c.options.ModelsDir())
	return nil
}

// facts describes a model in full; off: calculated values beside measured ones.
func (c *modelsCmd) facts(m models.Info, off []savedanswers.Off) document.Facts {
	from, cv, own, version, fitted, sized := m.Model.Provenance, m.Model.CV, "", "", "", ""
	if m.Shipped.Version > 0 {
		own, version = " of its networks, "+cv.How, strconv.Itoa(m.Shipped.Version)
	}
	if from.Campaigns > 0 {
		fitted = strconv.Itoa(from.Campaigns)
	}
	if n := m.Samples(); n != m.Modes() {
		sized = fmt.Sprintf(" in %d settings of mode and batch size", n)
	}
	if !c.asJSON {
		c.notes(m.Model.Warnings)
	}
	return slices.Concat(document.Facts{
		{"name", m.Name},
		{"where", cmp.Or(m.Path, "inside this program")},
		{"method", string(m.Model.Method)},
		{"modes", text.Thousands(m.Modes()) + sized},
		{"time error", models.ErrorText(cv.TimeMAPEPct) + own},
		{"power error", models.ErrorText(cv.PowerMAPEPct) + own},
		{"workload", orDash(from.Workload)},
		{"device", campaigns.OfDevice(from.Device, from.Virtual)},
		{"made", orDash(string(m.Made()))}}, networkFacts(m.Model), document.Facts{
		{"campaigns", fitted},
		{"version", version},
		{"source", m.Shipped.Source},
		{"licence", m.Shipped.Licence},
		{"made by", m.Shipped.Command}}, offFacts(off))
}

func (c *modelsCmd) keep(args []string) error {
	name, err := models.Keep(c.options.Paths, args[0])
	return did(c.app, err, report.Object{{"name", name}, {"folder", c.options.ModelsDir()}},
		"%s: kept in %s; --model and --reference find it by that name", name, c.options.ModelsDir())
}

// offFacts lists errors of calculated values against the measurements of the newest pair.
func offFacts(list []savedanswers.Off) (facts document.Facts) {
	for _, o := range list {
		said := fmt.Sprintf("%s %s calculated, %s measured (%+.1f %%)", text.Of(o.Calculated), o.Unit,
			text.Of(o.Measured), 100*(o.Calculated/o.Measured-1))
		if o.N > 1 {
			said += fmt.Sprintf("; of %d median %+.1f %%, most %+.1f %%", o.N, o.MedianPct, o.MostPct)
		}
		facts = append(facts, [2]string{o.What, said})
	}
	return facts
}
