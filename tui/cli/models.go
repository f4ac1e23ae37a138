package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/questions"
)

// modelJSON is an entry of `jtune models --json`: a model or a reference.
type modelJSON struct {
	Name     string        `json:"name"`
	Path     text.Optional `json:"path"`   // absent: built into this program
	Method   string        `json:"method"` // "reference" for a reference
	Samples  int           `json:"samples"`
	CV       learn.Errors  `json:"cv"`
	Workload text.Optional `json:"workload"`
	Device   text.Optional `json:"device"`
	Virtual  bool          `json:"virtual"`
	Version  int           `json:"version,omitempty"` // of a reference
	Source   string        `json:"source,omitempty"`  // of a reference's measurements
	Licence  string        `json:"licence,omitempty"`
	Commands []string      `json:"commands,omitempty"` // that produced it
	When     text.Optional `json:"when"`
	Warnings []string      `json:"warnings"`
	Error    text.Optional `json:"error"` // why the file cannot be read
	// Networks are the networks of powertrain and nn.
	Networks []learn.Network `json:"networks,omitempty"`

	modes     int // distinct modes among the samples; samples are settings if the batch size is an input
	campaigns int // campaigns of the samples
	from      learn.Provenance
	off       []questions.Off // for show
}

// keptModelJSON is an entry of `jtune models list --json`.
type keptModelJSON struct {
	Name      string        `json:"name"`
	Workload  text.Optional `json:"workload"`
	Device    text.Optional `json:"device"`
	Virtual   bool          `json:"virtual"`
	Method    text.Optional `json:"method"` // "reference" for a reference; absent if the file cannot be read
	Modes     int           `json:"modes"`
	Campaigns int           `json:"campaigns"` // campaigns of the modes; 0 if the modes were given otherwise
	CV        learn.Errors  `json:"cv"`
	Made      text.Optional `json:"made"`
	// Networks are the networks of powertrain and nn; empty in the list.
	Networks []learn.Network `json:"networks,omitempty"`
	// Off holds errors of calculated values against measurements; empty in the list.
	Off []questions.Off `json:"calculated_off,omitempty"`
}

func toKeptModel(m modelJSON) keptModelJSON {
	return keptModelJSON{Name: m.Name, Workload: m.Workload, Device: m.Device, Virtual: m.Virtual,
		Method: text.Optional(m.Method), Modes: m.modes, Campaigns: m.campaigns, CV: m.CV, Made: m.When}
}

// modelsCmd is `jtune models` and its subcommands.
type modelsCmd struct {
	*app
	keepFile string
	deleted  bool
}

func newModels(a *app) *cobra.Command {
	c := &modelsCmd{app: a}
	cmd := command(c, &cobra.Command{
		Use:   "models [NAME|FILE]",
		Short: "Manage models: what jtune learned about workloads",
		Long: "Lists what --model and --reference find by name: the models in the data directory, and the " +
			"references, of which some are inside this program. One model for each workload and board learns from " +
			"all its campaigns. A " +
			"model is one file that you can copy; it contains the measured modes it was fitted to. A deleted model " +
			"is moved aside and can be restored until it is purged. A new measurement of a workload fits its model " +
			"again.",
		Example: "  jtune models\n  jtune models resnet18-agx-orin\n  jtune models keep resnet.model",
		Args:    cobra.MaximumNArgs(1),
	})
	cmd.AddCommand(c.verbs()...)
	return cmd
}

func (c *modelsCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.keepFile, "keep", "",
		"copy a model `FILE` into the data directory under its name")
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
		return printJSON(c.out, list)
	case len(c.args) > 0:
		return c.print(list[0])
	}
	return c.printAll(list)
}

// verbs returns the subcommands that act on a named model.
func (c *modelsCmd) verbs() []*cobra.Command {
	list := verb("list", "List the models of the data directory and the shipped reference", 0, 0, c.list)
	list.Flags().BoolVar(&c.deleted, "deleted", false, "list deleted models, which can be restored")
	show := verb("show NAME|FILE", "Show one model in full", 1, 1, c.show)
	verbs := []*cobra.Command{list, show,
		verb("keep FILE", "Copy a model into the data directory", 1, 1, c.keep),
	}
	verbs = append(verbs, shelfVerbs(c.app, func() campaigns.Shelf { return models.Shelf(c.options.Paths) }, shelfHelp{
		rename:  "Rename a model; searches keep it under the new name",
		delete:  "Move a model aside; its campaigns stay",
		restore: "Restore a deleted model",
		purge:   "Remove deleted models for good: one, or all",
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
	if known, err := campaigns.List(c.options.Paths); err == nil && all[0].from.Workload != "" {
		all[0].off = questions.CalculatedOff(known, all[0].from)
	}
	if c.asJSON {
		one := toKeptModel(all[0])
		one.Networks, one.Off = all[0].Networks, all[0].off
		return printJSON(c.out, one)
	}
	return c.print(all[0])
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
	list := make([]keptModelJSON, len(all))
	for i, m := range all {
		if list[i] = toKeptModel(m); m.Error != "" {
			c.note("%s is unreadable: %s", m.Name, m.Error)
		}
	}
	return printJSON(c.out, list)
}

// find returns the shipped references and all kept models, which load reads, or the one that the arguments name. A list
// fits nothing: it notes the models that are not fitted yet.
func (c *modelsCmd) find(args []string, load func(string) (*learn.Model, error)) ([]modelJSON, error) {
	switch {
	case len(args) == 0:
	case args[0] == learn.ShippedName:
		return []modelJSON{shippedModel()}, nil
	default:
		m, err := c.at(args[0])
		return []modelJSON{m}, err
	}
	list := []modelJSON{shippedModel()}
	kept, err := models.Kept(c.options.Paths, load)
	if err != nil {
		return nil, err
	}
	if err := c.noteUnfitted(kept); err != nil {
		return nil, err
	}
	for _, info := range kept {
		list = append(list, modelOf(info))
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
func (c *modelsCmd) at(nameOrPath string) (modelJSON, error) {
	m, path, _, err := models.Find(c.options, nameOrPath)
	if err != nil {
		return modelJSON{}, err
	}
	info := models.Info{Name: strings.TrimSuffix(filepath.Base(path), ".model"), Path: path, Model: m}
	if st, err := os.Stat(path); err == nil {
		info.Modified = st.ModTime()
	}
	return modelOf(info), nil
}

// count counts samples and their distinct modes.
func (m *modelJSON) count(samples []tegra.Measured) {
	modes := map[tegra.Mode]bool{}
	for _, s := range samples {
		modes[s.Mode] = true
	}
	m.Samples, m.modes = len(samples), len(modes)
}

func modelOf(info models.Info) modelJSON {
	out := modelJSON{Name: info.Name, Path: text.Optional(info.Path), Warnings: []string{}}
	if info.Err != nil {
		out.Error = text.Optional(info.Err.Error())
		return out
	}
	m, from := info.Model, info.Model.Provenance
	out.Method, out.CV, out.Warnings = string(m.Method), m.CV, listOf(m.Warnings)
	out.count(m.Whole().Samples)
	out.Workload, out.Device, out.Virtual = text.Optional(from.Workload), text.Optional(from.Device), from.Virtual
	out.Networks, out.from = learn.NetworksOf(m), from
	if out.campaigns = from.Campaigns; from.When.IsZero() {
		from.When = info.Modified
	}
	if !from.When.IsZero() {
		out.When = text.Optional(from.When.UTC().Format(time.RFC3339))
	}
	return out
}

// shippedModel returns the built-in reference with its networks' errors on their own workload.
func shippedModel() modelJSON {
	_, from := nn.ResNetReference()
	return modelJSON{
		Name:     learn.ShippedName,
		Method:   "reference",
		Samples:  from.Modes,
		modes:    from.Modes,
		Workload: text.Optional(from.Workload),
		Device:   text.Optional(learn.ShippedReference().Provenance.Device),
		Version:  from.Version,
		Source:   from.Source,
		Licence:  from.Licence,
		Commands: []string{from.Command},
		Warnings: []string{},
		CV: learn.Errors{TimeMAPEPct: from.TimeMAPEPct, PowerMAPEPct: from.PowerMAPEPct,
			How: "on the modes that they were fitted to"},
	}
}

func (c *modelsCmd) printAll(list []modelJSON) error {
	rows := [][]string{{"name", "method", "modes", "time error", "power error", "workload", "device"}}
	for _, m := range list {
		if m.Error != "" {
			rows = append(rows, []string{m.Name, "unreadable: " + string(m.Error)})
			continue
		}
		workload, _, _ := strings.Cut(string(m.Workload), ",")
		rows = append(rows, []string{
			m.Name, m.Method, text.Thousands(m.modes), errorText(m.CV, m.CV.TimeMAPEPct),
			errorText(m.CV, m.CV.PowerMAPEPct), orDash(workload), ofDevice(string(m.Device), m.Virtual),
		})
	}
	if err := report.Grid(c.out, rows...); err != nil {
		return err
	}
	c.note("%s is inside this program; the others are in %s. jtune models NAME shows one", learn.ShippedName,
		c.options.ModelsDir())
	return nil
}

// errorText formats a model's cross-validated error.
func errorText(e learn.Errors, pct float64) string {
	if !e.Known() {
		return "–"
	}
	return dash(tegra.Finite(pct), "%.1f %%")
}

// sized says how many settings of mode and batch size were measured; "" without batch sizes.
func (m *modelJSON) sized() string {
	if m.Samples == m.modes {
		return ""
	}
	return fmt.Sprintf(" in %d settings of mode and batch size", m.Samples)
}

func (c *modelsCmd) print(m modelJSON) error {
	where, own := "inside this program", ""
	if m.Path != "" {
		where = string(m.Path)
	}
	if m.Method == "reference" && m.CV.Known() {
		own = " of its networks, " + m.CV.How
	}
	rows := [][]string{
		{"name", m.Name},
		{"where", where},
		{"method", m.Method},
		{"modes", text.Thousands(m.modes) + m.sized()},
		{"time error", errorText(m.CV, m.CV.TimeMAPEPct) + own},
		{"power error", errorText(m.CV, m.CV.PowerMAPEPct) + own},
		{"workload", orDash(string(m.Workload))},
		{"device", ofDevice(string(m.Device), m.Virtual)},
		{"made", orDash(string(m.When))},
	}
	rows = append(rows, networkRows(m.Networks)...)
	if m.campaigns > 0 {
		rows = append(rows, []string{"campaigns", strconv.Itoa(m.campaigns)})
	}
	if m.Version > 0 {
		rows = append(rows,
			[]string{"version", strconv.Itoa(m.Version)},
			[]string{"source", m.Source},
			[]string{"licence", m.Licence})
	}
	for _, made := range m.Commands {
		rows = append(rows, []string{"made by", made})
	}
	c.notes(m.Warnings)
	return report.Grid(c.out, append(rows, offRows(m.off)...)...)
}

func (c *modelsCmd) keep(args []string) error {
	name, err := models.Keep(c.options.Paths, args[0])
	return did(c.app, err, report.Object{{"name", name}, {"folder", c.options.ModelsDir()}},
		"%s: kept in %s; --model and --reference find it by that name", name, c.options.ModelsDir())
}

// offRows lists errors of calculated values against the measurements of the newest pair.
func offRows(list []questions.Off) (rows [][]string) {
	for _, o := range list {
		said := fmt.Sprintf("%s %s calculated, %s measured (%+.1f %%)", text.Of(o.Calculated), o.Unit,
			text.Of(o.Measured), 100*(o.Calculated/o.Measured-1))
		if o.N > 1 {
			said += fmt.Sprintf("; of %d median %+.1f %%, most %+.1f %%", o.N, o.MedianPct, o.MostPct)
		}
		rows = append(rows, []string{o.What, said})
	}
	return rows
}
