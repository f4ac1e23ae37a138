package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/learn"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/fleet"
	"jtune/tui/session/workloads"
)

// names lists completions for a shell. It reads only names: no campaign or model is opened.
type names func() []string

// completer knows the names for completions.
type completer struct{ *app }

// completions sets the names that complete each command's arguments and each flag's value, as the table says.
func (a completer) completions(root *cobra.Command) {
	lists := map[string]names{"devices": deviceNames, "models": a.modelNames, "references": a.referenceNames,
		"boards":    a.ofBoards(func(b fleet.Board) string { return b.Name }),
		"groups":    a.ofBoards(func(b fleet.Board) string { return b.Group }),
		"presets":   a.presetNames,
		"workloads": a.workloadNames, "campaigns": a.campaignNames, "faults": fixed(virtual.NamedFaults()...)}
	complete := func(c *cobra.Command) func(f *pflag.Flag) {
		return func(f *pflag.Flag) {
			var of names
			if v, ok := f.Value.(interface{ words() []string }); ok {
				of = v.words
			} else if name := f.Annotations[completes]; len(name) > 0 && name[0] != "" {
				if of = lists[name[0]]; of == nil {
					of = fixed(strings.Split(name[0], "|")...)
				}
			}
			if of == nil {
				return
			}
			_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, word string) ([]string,
				cobra.ShellCompDirective) {
				if f.Name == "mode" {
					return a.withModes(of(), word)
				}
				return of(), cobra.ShellCompDirectiveDefault
			}) // fails only if the flag has one already
		}
	}
	each(root, func(c *cobra.Command) {
		var of names
		if p := requests().parts[shortName(c)]; p != nil {
			of = lists[p.arguments]
		} else if c.Name() == "help" {
			of = func() []string { return helpPageNames(root) }
		}
		if of != nil && c.ValidArgs == nil {
			c.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string,
				cobra.ShellCompDirective) {
				left := slices.DeleteFunc(of(), func(name string) bool { return slices.Contains(args, name) })
				if strings.Contains(c.UseLine(), "MODE") {
					return a.withModes(left, word)
				}
				return left, cobra.ShellCompDirectiveDefault // files complete if no name does
			}
		}
		c.LocalNonPersistentFlags().VisitAll(complete(c))
		c.PersistentFlags().VisitAll(complete(c))
	})
}

// plainUsage removes the quotes around the name of a flag's value, which shells would show.
func plainUsage(root *cobra.Command) {
	each(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	})
}

func fixed(list ...string) names { return func() []string { return slices.Clone(list) } }

func deviceNames() []string {
	list := []string{"auto", "jetson", "replay:"}
	for _, name := range virtual.Names() {
		list = append(list, "virtual:"+name)
	}
	return list
}

func (a completer) workloadNames() (list []string) {
	known, err := workloads.Configured(a.options.Paths)
	if err != nil {
		return nil
	}
	for _, w := range known {
		list = append(list, w.Name)
	}
	return list
}

func (a completer) presetNames() (list []string) {
	s, err := session.Open(a.options)
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, p := range s.Device.Presets() {
		list = append(list, p.Name)
	}
	return list
}

// withModes adds to presets the board's modes that begin with a word, one knob at a time: 12c/ completes 12, then the
// CPU clocks follow.
func (a completer) withModes(presets []string, word string) (list []string, next cobra.ShellCompDirective) {
	if word == "" || word[0] < '0' || word[0] > '9' {
		return presets, cobra.ShellCompDirectiveDefault
	}
	s, err := session.Open(a.options)
	if err != nil {
		return presets, cobra.ShellCompDirectiveDefault
	}
	defer s.Close()
	space := s.Device.Space()
	for _, m := range space.All() {
		name := space.Format(m)
		if !strings.HasPrefix(name, word) {
			continue
		}
		if i := strings.IndexByte(name[len(word):], '/'); i >= 0 {
			name, next = name[:len(word)+i+1], cobra.ShellCompDirectiveNoSpace
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return append(presets, list...), next
}

// inFolder lists the newest folders of a folder first, or its files of an ending without that.
func inFolder(path, ending string) (list []string) {
	entries, _ := os.ReadDir(path) // no folder: no names
	for _, e := range slices.Backward(entries) {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok && e.IsDir() == (ending == "") && e.Name()[0] != '.' {
			list = append(list, name)
		}
	}
	return list
}

func (a completer) campaignNames() []string { return inFolder(a.options.CampaignsDir(), "") }

func (a completer) modelNames() []string { return inFolder(a.options.ModelsDir(), ".model") }

func (a completer) referenceNames() []string {
	return slices.Concat([]string{"none", learn.ShippedName}, a.modelNames())
}

// ofBoards lists what the boards of the configuration have, each once.
func (a completer) ofBoards(of func(fleet.Board) string) names {
	return func() (list []string) {
		boards, _ := a.options.Boards() // none where the file has a fault
		for _, b := range boards {
			if name := of(b); name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		return list
	}
}
