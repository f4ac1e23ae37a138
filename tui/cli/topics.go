package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tegra/virtual"
)

// topic is a page of `jtune help` that is not about a command.
type topic struct {
	name, title, text string
	flags             func(f *pflag.Flag) bool // selects the global flags to list; nil: none
}

// virtualFlags are the global flags that apply only to virtual boards.
var virtualFlags = strings.Fields("speed seed medium instance quirks fault ambient")

func ofVirtual(f *pflag.Flag) bool {
	for _, name := range virtualFlags {
		if f.Name == name {
			return true
		}
	}
	return false
}

// topics lists all pages in order.
var topics = []topic{
	{name: "modes", title: "Power modes and how to write them", text: "" +
		"A power mode is the number of online CPU cores and the clocks of CPU, GPU and memory. jtune prints it as " +
		"12c/2.20C/1.30G/3.20M: 12 cores, CPU 2.20 GHz, GPU 1.30 GHz, memory 3.20 GHz.\n\n" +
		"Commands that take a MODE also take the name of a preset (MODE_30W), its nvpmodel ID (2), and four numbers " +
		"in the kernel's units (12,2201600,1300500000,3199000000: cores, CPU in kHz, GPU and memory in Hz).\n\n" +
		"A filter selects modes: --filter 'cores>=8 gpu<900MHz' or --filter cores=2,4,6. Its names are cores, cpu, " +
		"gpu and mem. Write a clock as 900MHz, 0.9GHz or 900.\n\n" +
		"jtune locks each clock of a mode (minimum = maximum). With --dvfs on, the clock is only a cap.\n\n" +
		"jtune device lists the board's presets, and jtune device modes lists its modes."},
	{name: "units", title: "Numbers and their units", text: "" +
		"You can give a number with its unit: 30W, \"30 W\", 80ms, 0.08s, 15min, 20%. Without one, it has the " +
		"unit of its flag:\n\n" +
		"power in watts (W, mW), energy in joules (J, mJ, kJ), times of a minibatch and latencies in milliseconds " +
		"(ms, s), all other times in seconds (ms, s, min, h, d), rates per second (/s, /min), temperatures in °C, " +
		"shares in percent.\n\n" +
		"Output and JSON keys carry their unit: time_ms, power_w, energy_j, cpu_khz, gpu_hz, mem_hz. Time and energy " +
		"are per minibatch (mb) for training, and per batch, request, token or frame for inference."},
	{name: "limits", title: "Limits, goals and how certain an answer is", text: "" +
		"--power-limit 30 finds the fastest mode that draws at most 30 W; --time-limit 80 the mode of least power " +
		"that takes at most 80 ms; --energy the mode of least energy. You can combine both limits. " +
		"tune --power-limit 20,25,30 answers three limits from one search.\n\n" +
		"For inference under load, --limit takes limits and load in one line:\n\n" +
		"  --limit '30 W, p99 50 ms, 30/s'\n\n" +
		"Each mode has a state against the limits: measured (its mean is within), sure (at most a 2.5 % chance of " +
		"exceeding them), likely (at most 16 %), doubtful (at most 50 %), over.\n\n" +
		"If no mode is within the limits, jtune prints the nearest mode and exits with code 5."},
	{name: "exit-codes", title: "Exit codes", text: "" +
		"0   done\n1   failed\n2   usage: a wrong flag, argument or configuration\n3   no permission\n" +
		"4   no such device, not supported by this board, or a command's output was\n    not understood\n" +
		"5   no feasible answer, or a mode does not hold\n6   reverted\n130 interrupted"},
	{name: "data", title: "Where jtune keeps its files", text: "" +
		"$XDG_CONFIG_HOME/jtune/config.toml   configuration (jtune config path)\n" +
		"$XDG_DATA_HOME/jtune/campaigns       measured modes, a folder for each campaign\n" +
		"$XDG_DATA_HOME/jtune/models          models, a file for each workload and board\n" +
		"$XDG_STATE_HOME/jtune                logs, and the state of the screens\n" +
		"/run/jtune                           the state to restore, while a mode is set\n\n" +
		"The folders default to ~/.config, ~/.local/share and ~/.local/state, under sudo in the calling user's " +
		"home. --config FILE and --data-dir DIR override them.\n\n" +
		"Campaign folders are plain CSV and TOML. Models are derived from them and can be deleted at any time."},
	{name: "flags", title: "Flags of every command", flags: func(f *pflag.Flag) bool { return !ofVirtual(f) }},
	{name: "virtual", title: "Virtual boards and their flags", flags: ofVirtual, text: "" +
		"Away from a Jetson, jtune works on a virtual board, virtual:agx-orin unless --device names another: " +
		strings.Join(virtual.Names(), ", ") + ". It behaves as recordings and papers describe the board. Every " +
		"screen and every answer says that it is virtual, and none of its numbers is a measurement.\n\n" +
		"replay:FILE.csv is a virtual board that answers each mode with the file's own time and power."},
}

func topicNames() string { return strings.Join(topicList(), ", ") }

func topicList() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// topicOf returns the topic that words name, such as exit codes.
func topicOf(words []string) (topic, bool) {
	name := strings.Join(words, "-")
	for _, t := range topics {
		if t.name == name {
			return t, true
		}
	}
	return topic{}, false
}

// body returns the text of a topic and its flags.
func (t topic) body(root *cobra.Command) string {
	var parts []string
	for paragraph := range strings.SplitSeq(t.text, "\n\n") {
		if !strings.Contains(paragraph, "\n") { // tables keep their lines
			paragraph = wrapped(paragraph)
		}
		if paragraph != "" {
			parts = append(parts, paragraph)
		}
	}
	if t.flags != nil {
		list := pflag.NewFlagSet(t.name, pflag.ContinueOnError)
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
			if t.flags(f) {
				list.AddFlag(f)
			}
		})
		parts = append(parts, usages(list))
	}
	return strings.Join(parts, "\n\n")
}

// print prints a topic.
func (t topic) print(c *cobra.Command) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n\n%s\n", t.title, t.body(c.Root()))
	return err
}
