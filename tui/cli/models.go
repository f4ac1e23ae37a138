package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tui/session"
)

// modelJSON is one entry of `jtune models --json`.
type modelJSON struct {
	Name     string        `json:"name"`
	Path     text.Optional `json:"path"`   // absent: inside this program
	Method   string        `json:"method"` // reference for what is not a model
	Samples  int           `json:"samples"`
	CV       learn.Errors  `json:"cv"`
	Workload text.Optional `json:"workload"`
	Device   text.Optional `json:"device"`
	Virtual  bool          `json:"virtual"`
	Version  int           `json:"version,omitempty"` // of a reference
	Source   string        `json:"source,omitempty"`  // of its measurements
	Licence  string        `json:"licence,omitempty"`
	Commands []string      `json:"commands,omitempty"` // that made it
	When     text.Optional `json:"when"`
	Warnings []string      `json:"warnings"`
	Error    text.Optional `json:"error"` // why the file cannot be read
	// Networks are those of powertrain and nn.
	Networks []learn.Network `json:"networks,omitempty"`

	campaigns int // that the samples come from
}

// keptModelJSON is one entry of `jtune models list --json`.
type keptModelJSON struct {
	Name      string        `json:"name"`
	Workload  text.Optional `json:"workload"`
	Device    text.Optional `json:"device"`
	Virtual   bool          `json:"virtual"`
	Method    text.Optional `json:"method"` // reference for what is not a model; absent where the file cannot be read
	Modes     int           `json:"modes"`
	Campaigns int           `json:"campaigns"` // that the modes come from; 0 where they were chosen in another way
	CV        learn.Errors  `json:"cv"`
	Made      text.Optional `json:"made"`
	// Networks are those of powertrain and nn; in the list there are none.
	Networks []learn.Network `json:"networks,omitempty"`
}

func toKeptModel(m modelJSON) keptModelJSON {
	return keptModelJSON{Name: m.Name, Workload: m.Workload, Device: m.Device, Virtual: m.Virtual,
		Method: text.Optional(m.Method), Modes: m.Samples, Campaigns: m.campaigns, CV: m.CV, Made: m.When}
}

func (a *app) models() *cobra.Command {
	keep, reduce := "", ""
	cmd := &cobra.Command{
		Use:   "models [NAME|FILE]",
		Short: "Manage models: what was learned of workloads",
		Long: "Lists what --model and --reference find by name: the reference inside this program and the models " +
			"kept in the data directory. One model for each workload and board learns from all campaigns. A model is " +
			"one file that can be copied; it holds the measured modes that it was fitted to. A deleted one is moved " +
			"aside and can be restored until it is purged; that of a workload comes back when something is measured " +
			"again.",
		Example: "  jtune models\n  jtune models resnet18-agx-orin\n  jtune models keep resnet.model\n" +
			"  jtune models reduce resnet resnet.reference",
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case keep != "" && (len(args) > 0 || reduce != ""):
				return usagef("models: --keep FILE takes no other argument")
			case reduce != "" && len(args) == 0:
				return usagef("models: --reduce needs the NAME or FILE of a model")
			case keep != "":
				return a.keepModel(keep)
			case reduce != "":
				return a.reduceModel(args[0], reduce)
			}
			list, err := a.modelList(args)
			if err != nil {
				return err
			}
			switch {
			case a.asJSON:
				return printJSON(a.out, list)
			case len(args) > 0:
				return a.printModel(list[0])
			}
			return a.printModels(list)
		},
	}
	f := cmd.Flags()
	f.StringVar(&keep, "keep", "",
		"copy a model or reference `FILE` into the data directory, where it is found by its name")
	f.StringVar(&reduce, "reduce", "", "write a reference for other workloads into `FILE`, without the measured modes")
	a.jsonListFlag(f)
	cmd.AddCommand(a.modelVerbs()...)
	return cmd
}

// modelVerbs are the commands on models that have a name.
func (a *app) modelVerbs() []*cobra.Command {
	deleted := false
	list := verb("list", "List the models of the data directory and the shipped reference", 0, 0, func([]string) error {
		return a.listModels(deleted)
	})
	list.Flags().BoolVar(&deleted, "deleted", false, "the names of those that were deleted and can be restored")
	show := verb("show NAME|FILE", "Show one model in full", 1, 1, func(args []string) error {
		all, err := a.modelList(args)
		switch {
		case err != nil:
			return err
		case a.asJSON:
			one := toKeptModel(all[0])
			one.Networks = all[0].Networks
			return printJSON(a.out, one)
		}
		return a.printModel(all[0])
	})
	for _, c := range []*cobra.Command{list, show} {
		a.jsonFlag(c.Flags())
	}
	return []*cobra.Command{list, show,
		verb("keep FILE", "Copy a model or reference into the data directory", 1, 1, func(args []string) error {
			return a.keepModel(args[0])
		}),
		verb("rename NAME NEW", "Rename a model; searches keep it under the new name", 2, 2,
			func(args []string) error {
				return a.say(a.options.RenameModel(args[0], args[1]), "%s is %s now", args[0], args[1])
			}),
		verb("delete NAME", "Move a model aside; campaigns are left alone", 1, 1, func(args []string) error {
			name, err := a.options.DeleteModel(args[0])
			return a.say(err, "%s is deleted: jtune models restore %s brings it back", args[0], name)
		}),
		verb("restore NAME", "Restore a deleted model", 1, 1, func(args []string) error {
			return a.say(a.options.RestoreModel(args[0]), "%s is back", args[0])
		}),
		verb("purge [NAME]", "Remove deleted models for good: one, or all", 0, 1, func(args []string) error {
			gone, err := a.options.PurgeModels(strings.Join(args, ""))
			return a.say(err, "%s removed for good", text.Count(len(gone), "model"))
		}),
		verb("reduce NAME|FILE OUT", "Write a model as a reference for other workloads", 2, 2,
			func(args []string) error { return a.reduceModel(args[0], args[1]) }),
	}
}

func (a *app) listModels(deleted bool) error {
	if deleted {
		gone, err := a.options.DeletedModels()
		if err != nil {
			return err
		}
		names := []string{}
		for _, info := range gone {
			names = append(names, info.Name)
		}
		if a.asJSON {
			return printJSON(a.out, names)
		}
		return a.say(nil, "%s", strings.Join(names, "\n"))
	}
	all, err := a.modelList(nil)
	switch {
	case err != nil:
		return err
	case !a.asJSON:
		return a.printModels(all)
	}
	list := make([]keptModelJSON, len(all))
	for i, m := range all {
		if list[i] = toKeptModel(m); m.Error != "" {
			a.note("%s is unreadable: %s", m.Name, m.Error)
		}
	}
	return printJSON(a.out, list)
}

// modelList is the shipped references and all that is kept, or just the one that
// the arguments name.
func (a *app) modelList(args []string) ([]modelJSON, error) {
	switch {
	case len(args) == 0:
	case args[0] == learn.ShippedName:
		return []modelJSON{shippedModel()}, nil
	case learn.ProfileReference(args[0]) != nil:
		return []modelJSON{referenceOf("", learn.ProfileReference(args[0]).Compact)}, nil
	default:
		m, err := a.modelAt(a.options.ModelPath(args[0]))
		return []modelJSON{m}, err
	}
	list := []modelJSON{shippedModel()}
	for _, p := range learn.Profiles() {
		list = append(list, referenceOf("", p.Compact("")))
	}
	kept, err := a.options.Models()
	if err != nil {
		return nil, err
	}
	for _, info := range kept {
		list = append(list, modelOf(info))
	}
	references, err := a.options.KeptReferences()
	if err != nil {
		return nil, err
	}
	for _, path := range references {
		m, err := a.modelAt(path)
		if err != nil {
			m = modelOf(session.ModelInfo{Name: filepath.Base(path), Path: path, Err: err})
		}
		list = append(list, m)
	}
	return list, nil
}

// modelAt reads a file that holds a model or a reference.
func (a *app) modelAt(path string) (modelJSON, error) {
	m, err := a.options.LoadModel(path)
	if err == nil {
		info := session.ModelInfo{Name: strings.TrimSuffix(filepath.Base(path), ".model"), Path: path, Model: m}
		if st, err := os.Stat(path); err == nil {
			info.Modified = st.ModTime()
		}
		return modelOf(info), nil
	}
	if r, refErr := learn.LoadReference(path); refErr == nil && r.Compact != nil {
		return referenceOf(path, r.Compact), nil
	}
	return modelJSON{}, err
}

func modelOf(info session.ModelInfo) modelJSON {
	out := modelJSON{Name: info.Name, Path: text.Optional(info.Path), Warnings: []string{}}
	if info.Err != nil {
		out.Error = text.Optional(info.Err.Error())
		return out
	}
	m, from := info.Model, info.Model.Provenance
	out.Method, out.Samples, out.CV, out.Warnings = string(m.Method), len(m.Samples), m.CV, listOf(m.Warnings)
	out.Workload, out.Device, out.Virtual = text.Optional(from.Workload), text.Optional(from.Device), from.Virtual
	out.Networks = learn.NetworksOf(m)
	if out.campaigns = from.Campaigns; from.When.IsZero() {
		from.When = info.Modified
	}
	if !from.When.IsZero() {
		out.When = text.Optional(from.When.UTC().Format(time.RFC3339))
	}
	return out
}

func referenceOf(path string, c *learn.Compact) modelJSON {
	return modelJSON{
		Name:     c.Name,
		Path:     text.Optional(path),
		Method:   "reference",
		Samples:  c.Modes,
		Workload: text.Optional(c.Workload),
		Device:   text.Optional(c.Device),
		Virtual:  c.Virtual,
		Version:  c.Version,
		Source:   c.Source,
		Licence:  c.Licence,
		Commands: []string{c.Command},
		Warnings: []string{},
	}
}

// shippedModel is the reference inside this program; its errors are those of
// its networks on their own workload.
func shippedModel() modelJSON {
	_, from := nn.ResNetReference()
	c := learn.ShippedReference().Compact
	out := referenceOf("", c)
	out.Samples, out.Workload = from.Modes, text.Optional(from.Workload)
	out.CV = learn.Errors{TimeMAPEPct: from.TimeMAPEPct, PowerMAPEPct: from.PowerMAPEPct,
		How: "on the modes that they were fitted to"}
	out.Commands = []string{from.Command, c.Command}
	return out
}

func (a *app) printModels(list []modelJSON) error {
	rows := [][]string{{"name", "method", "modes", "time error", "power error", "workload", "device"}}
	for _, m := range list {
		if m.Error != "" {
			rows = append(rows, []string{m.Name, "unreadable: " + string(m.Error)})
			continue
		}
		workload, _, _ := strings.Cut(string(m.Workload), ",")
		rows = append(rows, []string{
			m.Name, m.Method, text.Thousands(m.Samples), errorText(m.CV, m.CV.TimeMAPEPct),
			errorText(m.CV, m.CV.PowerMAPEPct), orDash(workload), ofDevice(string(m.Device), m.Virtual),
		})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	a.note("%s are inside this program; the others are in %s. jtune models NAME shows one",
		strings.Join(append([]string{learn.ShippedName}, learn.ProfileNames()...), ", "), a.options.ModelsDir())
	return nil
}

// errorText is one of a model's cross-validated errors.
func errorText(e learn.Errors, pct float64) string {
	if !e.Known() {
		return "–"
	}
	return dash(tegra.Finite(pct), "%.1f %%")
}

func (a *app) printModel(m modelJSON) error {
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
		{"modes", text.Thousands(m.Samples)},
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
	for _, c := range m.Commands {
		rows = append(rows, []string{"made by", c})
	}
	a.notes(m.Warnings)
	return table(a.out, rows...)
}

func (a *app) keepModel(path string) error {
	name, err := a.options.Keep(path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: kept in %s; --model and --reference find it by that name\n", name,
		a.options.ModelsDir())
	return err
}

func (a *app) reduceModel(name, out string) error {
	command := fmt.Sprintf("jtune models %s --reduce %s", filepath.Base(name), filepath.Base(out))
	c, err := a.options.Reduce(name, out, command)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s of %s modes, no measured value; give it to --reference on an %s\n",
		out, text.Count(len(c.Centres), "kernel"), text.Thousands(c.Modes), c.Device)
	return err
}
