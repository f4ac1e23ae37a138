package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui/session/config"
	"jtune/tui/session/models"
)

// outputs are the flags that name a file to write.
var outputs = strings.Fields("out svg entries refit bundle textfile")

// recorded are the files of a campaign or soak folder and of the folders in it.
var recorded = strings.Fields("campaign.toml modes.csv samples.csv minibatches.csv epochs.csv runs.csv log.txt " +
	"end.txt .lock knobs.csv result.csv answer.toml report.txt report.csv soak.toml soak.csv soak.json")

// spare returns an error if a command would write its result over one of its inputs or over what jtune recorded.
func spare(paths config.Paths, cmd *cobra.Command, args []string) error {
	inputs := slices.Clone(args)
	var written [][2]string // flag and path
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch list, several := f.Value.(pflag.SliceValue); {
		case slices.Contains(outputs, f.Name):
			written = append(written, [2]string{"--" + f.Name, f.Value.String()})
		case several:
			inputs = append(inputs, list.GetSlice()...)
		default:
			inputs = append(inputs, f.Value.String())
		}
	})
	for _, out := range written {
		flag, path := out[0], out[1]
		now, statErr := os.Stat(path)
		if statErr != nil || !now.Mode().IsRegular() {
			continue
		}
		if isRecorded(path) {
			return usagef("%s%s %s: jtune recorded this file of a campaign: choose another file", commandName(cmd),
				flag, path)
		}
		for _, input := range inputs {
			if reads(paths, input, now) && (flag != "--refit" || cmd.Flag("model").Value.String() != input) {
				return usagef("%s%s %s: this file is also an input: choose another file", commandName(cmd), flag, path)
			}
		}
	}
	return nil
}

// reads reports whether an argument or the value of a flag names this file.
func reads(paths config.Paths, input string, file os.FileInfo) bool {
	input = strings.TrimPrefix(input, "replay:")
	for _, name := range append(strings.Split(input, ","), input) {
		info, err := os.Stat(models.Path(paths, name))
		if err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// isRecorded reports whether jtune wrote a file into a campaign or soak folder.
func isRecorded(path string) bool {
	path, err := filepath.EvalSymlinks(path)
	if err != nil || !slices.Contains(recorded, filepath.Base(path)) {
		return false
	}
	for range 3 { // its own folder, logs, or a mode's folder in that
		path = filepath.Dir(path)
		for _, plan := range []string{"campaign.toml", "soak.toml"} {
			if _, err := os.Stat(filepath.Join(path, plan)); err == nil {
				return true
			}
		}
	}
	return false
}
