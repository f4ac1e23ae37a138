package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

// frequentMistakes are command lines with common mistakes, each with the content of the configuration file, if any.
var frequentMistakes = []struct{ line, config string }{
	{"tune", ""}, {"tune resnet18", ""}, {"tune resnt18 --power-limit 30", ""}, {"tune resnet18 --power-limit abc", ""},
	{"tune resnet18 --power-limit -3", ""}, {"tune resnet18 --power-limit 5", ""},
	{"tune resnet18 --power 30", ""}, {"tune resnet18 --power-limit 30 --batch 0", ""},
	{"tune resnet18 --power-limit 30 --strategy fast", ""}, {"tune resnet18 --power-limit 30 --depth deep", ""},
	{"tune resnet18 --rate 30 --latency 50", ""}, {"tunes", ""}, {"list fronts", ""},
	{"run", ""}, {"run nothing", ""}, {"run resnet18 --epochs 1 --minibatches 4", ""}, {"run -- no-such-program", ""},
	{"run mine", "[workload.mine]\ncommand = \"python3 train.py\"\n"},
	{"run mine", "[workload.mine]\ncomand = [\"true\"]\n"}, {"run mine", "[workload.mine]\npattern = \"\\d\"\n"},
	{"profile resnet18", ""}, {"profile resnet18 --filter cores>20", ""}, {"profile resnet18 --filter clock>2", ""},
	{"profile resnet18 --sample 2 --shard 3/2", ""}, {"profile resnet18 --resume", ""},
	{"apply", ""}, {"apply MAXX --yes", ""}, {"apply 12c/9C/1G/3G --yes", ""}, {"apply MODE_15W --yes", ""},
	{"choose", ""}, {"choose --model resnet18", ""}, {"choose --model resnet18 --power-limit 30", ""},
	{"predict --model none MAXN", ""}, {"front", ""}, {"explain --model none", ""}, {"plot", ""}, {"plot picture", ""},
	{"campaigns show none", ""}, {"models show none", ""}, {"models fit", ""},
	{"campaigns import none.csv --out x", ""},
	{"campaigns merge none --out x", ""}, {"soak", ""}, {"soak resnet18 --limit 5X", ""}, {"verify", ""},
	{"report", ""},
	{"device --device virtual:nono", ""}, {"device --device replay:none.csv", ""},
	{"convert export MAXN", ""}, {"convert nvpmodel none.conf", ""}, {"fleet doctor", ""}, {"rank", ""},
	{"run --save -x -- true", ""}, {"campaigns rename none -- -x", ""}, {"report --out --md", ""}, {"help exit", ""},
	{"pair --train resnet18", ""}, {"watch --interval fast", ""}, {"config set torch.data", ""},
	{"lab reproduce none", ""}, {"lab experiment none", ""}, {"help weather", ""},
	{"tune resnet50 --power-limit 15", ""}, {"device --device nano", ""}, {"run --pattern ( -- true", ""},
	{"run --pattern nothing -- true", ""}, {"run --pattern keas -- true", ""},
	{"fleet doctor", "[board.a]\nip = \"10.0.0.1\"\n"},
}

// readings are numbers of a search, which change with it; the messages keep their form.
var readings = regexp.MustCompile(`\b[1-9]\d* ms and [1-9][\d.]* W`)

// TestFrequentMessagesSayWhatWhereAndWhatToDo keeps the messages of common mistakes in a file, for review.
func TestFrequentMessagesSayWhatWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	computes(t)
	var b strings.Builder
	for _, m := range frequentMistakes {
		dir, words := t.TempDir(), strings.Fields(m.line)
		flags := []string{"--data-dir", filepath.Join(dir, "data"), "--log-file", filepath.Join(dir, "log")}
		if !strings.Contains(m.line, "--device") {
			flags = append(flags, "--device", "virtual:agx-orin", "--speed", "max")
		}
		config := filepath.Join(dir, "config.toml")
		must.NoError(t, os.WriteFile(config, []byte(m.config), 0o644))
		o := jtune(t, append(append(flags, "--config", config), words...)...)
		last := strings.TrimSuffix(o.err, "\n")
		last = strings.ReplaceAll(last[strings.LastIndex(last, "\n")+1:], dir, "DIR")
		if o.code == exitOK || !strings.HasPrefix(last, "jtune: ") {
			t.Errorf("jtune %s: exit code %d, last line %q", m.line, o.code, last)
		}
		b.WriteString("$ jtune " + m.line + "\n")
		for line := range strings.Lines(m.config) {
			b.WriteString("  # " + line)
		}
		b.WriteString(readings.ReplaceAllString(last, "T ms and P W") + "\n\n")
	}
	path := filepath.Join("testdata", "messages.golden")
	if *update {
		must.NoError(t, os.MkdirAll("testdata", 0o755))
		must.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != b.String() {
		t.Errorf("the messages differ from %s (%v): renew them with -update, then read them\n%s", path, err, b.String())
	}
}
