package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/learn/nn"
	"jtune/tegra/figures"
	"jtune/tui/session"
)

// modelJSON is one entry of `jtune models --json`.
type modelJSON struct {
	Name     string   `json:"name"`
	Path     *string  `json:"path"`   // null: inside this program
	Method   string   `json:"method"` // reference for what is no model
	Samples  int      `json:"samples"`
	CV       cvJSON   `json:"cv"`
	Workload *string  `json:"workload"`
	Device   *string  `json:"device"`
	Virtual  bool     `json:"virtual"`
	Version  int      `json:"version,omitempty"` // of a reference
	Source   string   `json:"source,omitempty"`  // of its measurements
	Licence  string   `json:"licence,omitempty"`
	Commands []string `json:"commands,omitempty"` // that made it
	When     *string  `json:"when"`
	Warnings []string `json:"warnings"`
	Error    *string  `json:"error"` // why the file cannot be read
}

func (a *app) models() *cobra.Command {
	keep, reduce, asJSON := "", "", false
	cmd := &cobra.Command{
		Use:   "models [NAME|FILE]",
		Short: "List kept models and the shipped reference, or tell all of one",
		Long: "Lists what --model and --reference find by name: the reference inside this program and the models kept in " +
			"the data directory. A kept model is one file, which may be copied to anyone; it holds the measured modes that it " +
			"learned from. --reduce writes what a model teaches other workloads of its board without them.",
		Example: "  jtune models\n  jtune models resnet18-agx-orin\n  jtune models --keep resnet.model\n  jtune models resnet --reduce resnet.reference",
		Args:    takes(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case keep != "" && (len(args) > 0 || reduce != ""):
				return usagef("models: --keep FILE stands alone")
			case reduce != "" && len(args) == 0:
				return usagef("models: --reduce what? give NAME or FILE of a model")
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
			case asJSON:
				return printJSON(a.out, list)
			case len(args) > 0:
				return a.printModel(list[0])
			}
			return a.printModels(list)
		},
	}
	f := cmd.Flags()
	f.StringVar(&keep, "keep", "", "copy a model or reference `FILE` into the data directory, to be found by its name")
	f.StringVar(&reduce, "reduce", "", "write what the model teaches other workloads into `FILE`, without its measured modes")
	jsonListFlag(f, &asJSON)
	return cmd
}

// modelList is the shipped reference and all that is kept, or just the one that
// the arguments name.
func (a *app) modelList(args []string) ([]modelJSON, error) {
	switch {
	case len(args) == 0:
	case args[0] == learn.ShippedName:
		return []modelJSON{shippedModel()}, nil
	default:
		m, err := a.modelAt(a.options.ModelPath(args[0]))
		return []modelJSON{m}, err
	}
	list := []modelJSON{shippedModel()}
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
			text := err.Error()
			m = modelJSON{Name: filepath.Base(path), Path: &path, CV: cvJSON{notKnown, notKnown}, Warnings: []string{}, Error: &text}
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
	out := modelJSON{Name: info.Name, Path: &info.Path, CV: cvJSON{notKnown, notKnown}, Warnings: []string{}}
	if info.Err != nil {
		text := info.Err.Error()
		out.Error = &text
		return out
	}
	m := info.Model
	out.Method, out.Samples, out.Warnings = string(m.Method), len(m.Samples), append(out.Warnings, m.Warnings...)
	out.Workload, out.Device, out.Virtual = optionalText(m.Provenance.Workload), optionalText(m.Provenance.Device), m.Provenance.Virtual
	if m.CV.Known() {
		out.CV = cvJSON{number(m.CV.TimeMAPEPct), number(m.CV.PowerMAPEPct)}
	}
	when := m.Provenance.When
	if when.IsZero() {
		when = info.Modified
	}
	if !when.IsZero() {
		text := when.UTC().Format(time.RFC3339)
		out.When = &text
	}
	return out
}

func referenceOf(path string, c *learn.Compact) modelJSON {
	return modelJSON{Name: c.Name, Path: &path, Method: "reference", Samples: c.Modes, CV: cvJSON{notKnown, notKnown}, Workload: optionalText(c.Workload), Device: optionalText(c.Device),
		Virtual: c.Virtual, Version: c.Version, Source: c.Source, Licence: c.Licence, Commands: []string{c.Command}, Warnings: []string{}}
}

// shippedModel is the reference inside this program; its errors are those of
// its networks on their own workload.
func shippedModel() modelJSON {
	_, from := nn.ResNetReference()
	c := learn.ShippedReference().Compact
	out := referenceOf("", c)
	out.Path, out.Samples, out.CV, out.Workload = nil, from.Modes, cvJSON{number(from.TimeMAPEPct), number(from.PowerMAPEPct)}, &from.Workload
	out.Commands = []string{from.Command, c.Command}
	return out
}

func (a *app) printModels(list []modelJSON) error {
	rows := [][]string{{"name", "method", "modes", "time error", "power error", "workload", "device"}}
	for _, m := range list {
		if m.Error != nil {
			rows = append(rows, []string{m.Name, "unreadable: " + *m.Error})
			continue
		}
		workload, _, _ := strings.Cut(text(m.Workload), ",")
		device := orDash(text(m.Device))
		if m.Virtual {
			device += " (virtual)"
		}
		rows = append(rows, []string{m.Name, m.Method, figures.Thousands(m.Samples), errorPct(m.CV.Time), errorPct(m.CV.Power), orDash(workload), device})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	a.note("%s is inside this program; the others are in %s. jtune models NAME tells all about one", learn.ShippedName, a.options.ModelsDir())
	return nil
}

func errorPct(v number) string {
	if math.IsNaN(float64(v)) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", float64(v))
}

func (a *app) printModel(m modelJSON) error {
	where, own := "inside this program", ""
	if m.Path != nil {
		where = *m.Path
	}
	if m.Method == "reference" && known(m.CV.Time) {
		own = " of its networks, on the modes that they learned from"
	}
	rows := [][]string{{"name", m.Name}, {"where", where}, {"method", m.Method}, {"modes", figures.Thousands(m.Samples)},
		{"time error", errorPct(m.CV.Time) + own}, {"power error", errorPct(m.CV.Power) + own}, {"workload", orDash(text(m.Workload))}, {"device", orDash(text(m.Device))}, {"made", orDash(text(m.When))}}
	if m.Version > 0 {
		rows = append(rows, []string{"version", strconv.Itoa(m.Version)}, []string{"source", m.Source}, []string{"licence", m.Licence})
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
	_, err = fmt.Fprintf(a.out, "%s: kept in %s; --model and --reference find it by that name\n", name, a.options.ModelsDir())
	return err
}

func (a *app) reduceModel(name, out string) error {
	m, err := a.options.LoadModel(name)
	if err != nil {
		return err
	}
	if !m.HasPower() {
		return fmt.Errorf("model %s knows time alone, a reference needs power too", name)
	}
	if m.Provenance.Device == "" {
		return fmt.Errorf("model %s does not tell its board, and a reference is of use on that board alone: fit it again with --device", name)
	}
	base := filepath.Base(out)
	c, err := learn.NewCompact(learn.ReferenceNote{Name: strings.TrimSuffix(base, filepath.Ext(base)), Version: 1, Workload: m.Provenance.Workload, Device: m.Provenance.Device, Virtual: m.Provenance.Virtual && m.Provenance.Replay == "",
		Source: "measured by the maker of this file", Licence: "the maker's", Command: fmt.Sprintf("jtune models %s --reduce %s", filepath.Base(name), base)}, m.Samples)
	if err != nil {
		return fmt.Errorf("model %s: %w", name, err)
	}
	if err := c.Save(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s of %s modes, no measured value; give it to --reference on an %s\n", out, figures.Count(len(c.Centres), "kernel"), figures.Thousands(c.Modes), c.Device)
	return err
}
