package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/tui"
	"jtune/tui/session/config"
	"jtune/tui/widget"
)

// configCmd is the subcommands of `jtune config`.
type configCmd struct{ *app }

func newConfig(a *app) *cobra.Command {
	c := configCmd{a}
	path := func(context.Context) error {
		_, err := os.Stat(a.options.ConfigPath())
		return did(a, nil, report.Object{{"path", a.options.ConfigPath()}, {"exists", err == nil}}, "%s",
			a.options.ConfigPath())
	}
	schema := func(context.Context) error {
		schema, err := config.ConfigSchema(screenTables())
		if err != nil {
			return err
		}
		return printJSON(a.out, schema)
	}
	return group("config", "", a.command("config show", nil, c.show), a.command("config edit", nil, c.edit),
		a.verb("config check", 0, 1, c.checkFile), a.command("config path", nil, path),
		a.command("config schema", nil, schema))
}

// screenTables returns the tables of the configuration file that belong to the screens.
func screenTables() config.ScreenTables {
	s := config.ScreenTables{
		CheckKeys: tui.CheckKeys,
		CheckTheme: func(table map[string]string) (key string, err error) {
			_, key, err = widget.ParseTheme(table)
			return key, err
		},
	}
	add := func(table, name string, value any) {
		s.Keys = append(s.Keys, config.ConfigKey{Path: toml.Key{table, name}, Default: value})
	}
	for _, k := range tui.KeyLines(nil) {
		add("keys", k.Action, config.OneOrMore(k.Keys))
	}
	add("theme", "name", widget.ThemeNames()[0])
	for _, name := range widget.ThemeColours() {
		add("theme", name, nil)
	}
	return s
}

// configRow is an entry of `jtune config show --json`: a key of the file or, starting with dashes, a global flag.
type configRow struct {
	Key      string `json:"key"`
	Value    any    `json:"value"` // null: none
	Default  any    `json:"default"`
	Origin   string `json:"origin"`             // file, environment, flag or default
	File     string `json:"file,omitempty"`     // of origin file
	Line     int    `json:"line,omitempty"`     // of origin file
	Variable string `json:"variable,omitempty"` // of origin environment
}

// variables are the environment variables that set flags.
var variables = map[string]string{
	"config": "XDG_CONFIG_HOME", "data-dir": "XDG_DATA_HOME", "log-file": "XDG_STATE_HOME", "no-color": "NO_COLOR",
}

func (c configCmd) show(context.Context) error {
	file, err := c.options.ConfigFile()
	if err != nil {
		return err
	}
	keys, err := config.ConfigKeys(file, screenTables())
	if err != nil {
		return fmt.Errorf("%w; jtune config check lists every fault", err)
	}
	list := c.flagRows(c.cmd.InheritedFlags())
	for _, k := range keys {
		row := configRow{Key: k.Path.String(), Value: k.Value, Default: k.Default, Origin: "default"}
		if k.Line > 0 {
			row.Origin, row.File, row.Line = "file", file, k.Line
		}
		list = append(list, row)
	}
	t := document.Table{Head: []string{"key", "value", "default", "origin"}}
	for _, r := range list {
		origin := r.Origin
		switch {
		case r.Line > 0:
			origin = fmt.Sprintf("file, line %d", r.Line)
		case r.Variable != "":
			origin = "environment, " + r.Variable
		}
		t.Rows = append(t.Rows, []string{r.Key, configValue(r.Value), configValue(r.Default), origin})
	}
	return c.app.show(list, t)
}

// flagRows lists the global flags.
func (c configCmd) flagRows(flags *pflag.FlagSet) (list []configRow) {
	paths := map[string]string{"config": c.options.ConfigPath(), "data-dir": c.options.DataPath(),
		"log-file": c.options.LogPath()}
	flags.VisitAll(func(f *pflag.Flag) {
		row := configRow{Key: "--" + f.Name, Value: f.Value.String(), Default: f.DefValue, Origin: "default"}
		variable := variables[f.Name]
		path := paths[f.Name]
		switch {
		case f.Name == "help":
			return
		case f.Changed:
			row.Origin = "flag"
		case variable != "" && os.Getenv(variable) != "":
			row.Origin, row.Variable = "environment", variable
			row.Value = "true"
		}
		if path != "" {
			row.Value = path
			row.Default = nil // it depends on the user's environment
		}
		list = append(list, row)
	})
	return list
}

// configValue formats a value as in the file; n/a for none.
func configValue(v any) string {
	if v == nil {
		return "n/a"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil || b.String() == "null\n" {
		return "n/a"
	}
	return text.Clip(strings.TrimSuffix(b.String(), "\n"))
}

// checkFile prints a line for each fault of a file, by default the configuration.
func (c configCmd) checkFile(args []string) error {
	file := c.options.ConfigPath()
	named := len(args) > 0
	if named {
		file = args[0]
	}
	data, err := safefile.Read(file, tomlfile.MaxSize)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return did(c.app, nil, report.Object{{"path", file}, {"exists", false}, {"faults", []string{}}},
			"%s: there is no such file; every key has its default", file)
	}
	if err != nil {
		return err
	}
	var lines []string
	for _, fault := range config.CheckConfig(file, string(data), screenTables()) {
		lines = append(lines, fault.Error())
	}
	object := report.Object{{"path", file}, {"exists", true}, {"faults", listOf(lines)}}
	if len(lines) == 0 {
		return did(c.app, nil, object, "%s: no fault", file)
	}
	if err := did(c.app, nil, object, "%s", strings.Join(lines, "\n")); err != nil {
		return err
	}
	return fmt.Errorf("%s: %s; correct the lines above", file, text.Count(len(lines), "fault"))
}

// warnOfConfig names the first fault of a configuration that a command could do without.
func (c configCmd) warnOfConfig() {
	file, err := c.options.ConfigFile()
	if err != nil || file == "" {
		return
	}
	data, err := safefile.Read(file, tomlfile.MaxSize)
	if err != nil {
		c.note("%v", err)
	} else if faults := config.CheckConfig(file, string(data), screenTables()); len(faults) > 0 {
		c.note("%v; not needed here, jtune config check lists every fault", faults[0])
	}
}

// edit lets the user edit the configuration file.
func (c configCmd) edit(ctx context.Context) error {
	e := config.ConfigEdit{
		Paths:   c.options.Paths,
		Screens: screenTables(),
		Open:    c.openEditor,
		Again:   c.editAgain(ctx),
	}
	changed, err := e.Run()
	return did(c.app, err, nil, "%s: %s", e.ConfigPath(),
		map[bool]string{true: "changed", false: "not changed"}[changed])
}
