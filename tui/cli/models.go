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
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/savedanswers"
)

// listedModel is a model or a reference.
type listedModel struct {
	models.Info                    // with an empty model if the file cannot be read
	samples     int                // settings, if the batch size is an input
	shipped     nn.Provenance      // of the reference in this program; else zero
	off         []savedanswers.Off // for show
}

// modelColumns are the members of a model's documents: of `jtune models --json`, or of list and show, which kept says.
func modelColumns(kept bool) report.Table[listedModel] {
	type m = listedModel
	from := func(x m) learn.Provenance { return x.Model.Provenance }
	network := func(x m) any { return report.IfAny(learn.NetworksOf(x.Model)) } // of powertrain and nn
	if kept {
		return report.Table[m]{
			{Key: "name", Of: func(x m) any { return x.Name }},
			{Key: "workload", Of: func(x m) any { return text.Optional(from(x).Workload) }},
			{Key: "device", Of: func(x m) any { return text.Optional(from(x).Device) }},
			{Key: "virtual", Of: func(x m) any { return from(x).Virtual }},
			{Key: "method", Of: func(x m) any { return text.Optional(x.Model.Method) }}, // absent: it cannot be read
			{Key: "modes", Of: func(x m) any { return x.Modes() }},
			{Key: "campaigns", Of: func(x m) any { return from(x).Campaigns }}, // 0: the modes were given otherwise
			{Key: "cv", Of: func(x m) any { return x.Model.CV }},
			{Key: "made", Of: func(x m) any { return x.made() }},
			{Key: "networks", Of: network},
			{Key: "calculated_off", Of: func(x m) any { return report.IfAny(x.off) }},
		}
	}
	return report.Table[m]{
		{Key: "name", Of: func(x m) any { return x.Name }},
		{Key: "path", Of: func(x m) any { return text.Optional(x.Path) }}, // absent: inside this program
		{Key: "method", Of: func(x m) any { return x.Model.Method }},
		{Key: "samples", Of: func(x m) any { return x.samples }},
		{Key: "cv", Of: func(x m) any { return x.Model.CV }},
		{Key: "workload", Of: func(x m) any { return text.Optional(from(x).Workload) }},
		{Key: "device", Of: func(x m) any { return text.Optional(from(x).Device) }},
		{Key: "virtual", Of: func(x m) any { return from(x).Virtual }},
		{Key: "version", Of: func(x m) any { return report.IfAny(x.shipped.Version) }},
		{Key: "source", Of: func(x m) any { return report.IfAny(x.shipped.Source) }},
		{Key: "licence", Of: func(x m) any { return report.IfAny(x.shipped.Licence) }},
		{Key: "commands", Of: func(x m) any { return report.IfAny(text.Said(x.shipped.Command)) }},
		{Key: "when", Of: func(x m) any { return x.made() }},
		{Key: "warnings", Of: func(x m) any { return listOf(x.Model.Warnings) }},
		{Key: "error", Of: func(x m) any { return x.fault() }},
		{Key: "networks", Of: network},
	}
}

// modelsCmd is `jtune models` and its subcommands.
type modelsCmd struct {
	*app
	keepFile string
	deleted  bool
}

func newModels(a *app) *cobra.Command {
	c := &modelsCmd{app: a}
	cmd := command(c, "models", cobra.MaximumNArgs(1))
	cmd.AddCommand(c.verbs()...)
	return cmd
}

func (c *modelsCmd) flags(f *pflag.FlagSet) {
	bind(f, "models", places{"keep": &c.keepFile})
	c.jsonFlag(f, asList)
}

func (c *modelsCmd) run(context.Context) error {
	switch {
	case c.keepFile != "":
		return c.keep([]string{c.keepFile})
	}
	load := learn.LoadUnfitted
	if c.asJSON { // which has the networks
		load = learn.Load
	}
	list, err := c.find(c.args, load)
	switch {
	case err != nil:
		return err
	case c.asJSON:
		return printJSON(c.out, modelColumns(false).Objects(list))
	case len(c.args) > 0:
		return c.print(list[0])
	}
	return c.printAll(list)
}

// verbs returns the subcommands that act on a named model.
func (c *modelsCmd) verbs() []*cobra.Command {
	list := verb("models list", 0, 0, c.list)
	bind(list.Flags(), "models list", places{"deleted": &c.deleted})
	show := verb("models show", 1, 1, c.show)
	verbs := []*cobra.Command{list, show,
		verb("models keep", 1, 1, c.keep),
	}
	verbs = append(verbs, shelfVerbs(c.app, "models", func() campaigns.Shelf {
		return models.Shelf(c.options.Paths)
	})...)
	for _, v := range verbs {
		c.jsonFlag(v.Flags(), asDocument)
	}
	return verbs
}

func (c *modelsCmd) show(args []string) error {
	all, err := c.find(args, nil)
	if err != nil {
		return err
	}
	one := all[0]
	from := one.Model.Provenance
	if known, err := campaigns.List(c.options.Paths); err == nil && one.Path != "" && from.Workload != "" {
		one.off = savedanswers.CalculatedOff(known, from)
	}
	if c.asJSON {
		return printJSON(c.out, modelColumns(true).Object(one))
	}
	return c.print(one)
}

func (c *modelsCmd) list([]string) error {
	if c.deleted {
		gone, err := models.Deleted(c.options.Paths)
		if err != nil {
			return err
		}
		names := []string{}
		for _, info := range gone {
			names = append(names, info.Name)
		}
		if c.asJSON {
			return printJSON(c.out, names)
		}
		return c.say(nil, "%s", strings.Join(names, "\n"))
	}
	all, err := c.find(nil, learn.LoadUnfitted)
	switch {
	case err != nil:
		return err
	case !c.asJSON:
		return c.printAll(all)
	}
	return printJSON(c.out, modelColumns(true).Objects(all))
}

// find returns the shipped references and all kept models, which load reads, or the one that the arguments name. A list
// fits nothing: it notes the models that are not fitted yet.
func (c *modelsCmd) find(args []string, load func(string) (*learn.Model, error)) ([]listedModel, error) {
	switch {
	case len(args) == 0:
	case args[0] == learn.ShippedName:
		return []listedModel{shippedModel()}, nil
	default:
		m, err := c.at(args[0])
		return []listedModel{m}, err
	}
	list := []listedModel{shippedModel()}
	kept, err := models.Kept(c.options.Paths, load)
	if err != nil {
		return nil, err
	}
	if err := c.noteUnfitted(kept); err != nil {
		return nil, err
	}
	for _, info := range kept {
		if list = append(list, modelOf(info)); info.Err != nil {
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
func (c *modelsCmd) at(nameOrPath string) (listedModel, error) {
	m, path, _, err := models.Find(c.options, nameOrPath)
	if err != nil {
		return listedModel{}, err
	}
	info := models.Info{Name: strings.TrimSuffix(filepath.Base(path), ".model"), Path: path, Model: m}
	if st, err := os.Stat(path); err == nil {
		info.Modified = st.ModTime()
	}
	return modelOf(info), nil
}

// modelOf describes a model file.
func modelOf(info models.Info) listedModel {
	if info.Model == nil {
		info.Model = &learn.Model{}
	}
	return listedModel{Info: info, samples: len(info.Model.Whole().Samples)}
}

// made returns when a model was fitted, or else its file was written; "" if unknown.
func (m *listedModel) made() text.Optional {
	when := m.Model.Provenance.When
	if when.IsZero() {
		when = m.Modified
	}
	if when.IsZero() || m.Err != nil {
		return ""
	}
	return text.Optional(when.UTC().Format(time.RFC3339))
}

// fault says why a file cannot be read; "" if it can.
func (m *listedModel) fault() text.Optional {
	if m.Err == nil {
		return ""
	}
	return text.Optional(m.Err.Error())
}

// shippedModel returns the built-in reference.
func shippedModel() listedModel {
	info, from := models.Shipped()
	return listedModel{Info: info, samples: from.Modes, shipped: from}
}

func (c *modelsCmd) printAll(list []listedModel) error {
	infos := make([]models.Info, len(list))
	for i, m := range list {
		infos[i] = m.Info
	}
	if err := models.Columns(time.Now).Text(c.out, infos); err != nil {
		return err
	}
	c.note("%s is inside this program; the others are in %s. jtune models NAME shows one", learn.ShippedName,
		c.options.ModelsDir())
	return nil
}

// sized says how many settings of mode and batch size were measured; "" without batch sizes.
func (m *listedModel) sized() string {
	if m.samples == m.Modes() {
		return ""
	}
	return fmt.Sprintf(" in %d settings of mode and batch size", m.samples)
}

func (c *modelsCmd) print(m listedModel) error {
	from, cv, own, version, fitted := m.Model.Provenance, m.Model.CV, "", "", ""
	if m.shipped.Version > 0 {
		own, version = " of its networks, "+cv.How, strconv.Itoa(m.shipped.Version)
	}
	if from.Campaigns > 0 {
		fitted = strconv.Itoa(from.Campaigns)
	}
	facts := report.Facts{
		{"name", m.Name},
		{"where", cmp.Or(m.Path, "inside this program")},
		{"method", string(m.Model.Method)},
		{"modes", text.Thousands(m.Modes()) + m.sized()},
		{"time error", models.ErrorText(cv.TimeMAPEPct) + own},
		{"power error", models.ErrorText(cv.PowerMAPEPct) + own},
		{"workload", orDash(from.Workload)},
		{"device", campaigns.OfDevice(from.Device, from.Virtual)},
		{"made", orDash(string(m.made()))}}
	c.notes(m.Model.Warnings)
	return slices.Concat(facts, networkFacts(m.Model), report.Facts{
		{"campaigns", fitted},
		{"version", version},
		{"source", m.shipped.Source},
		{"licence", m.shipped.Licence},
		{"made by", m.shipped.Command}}, offFacts(m.off)).Text(c.out)
}

func (c *modelsCmd) keep(args []string) error {
	name, err := models.Keep(c.options.Paths, args[0])
	return did(c.app, err, report.Object{{"name", name}, {"folder", c.options.ModelsDir()}},
		"%s: kept in %s; --model and --reference find it by that name", name, c.options.ModelsDir())
}

// offFacts lists errors of calculated values against the measurements of the newest pair.
func offFacts(list []savedanswers.Off) (facts report.Facts) {
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
