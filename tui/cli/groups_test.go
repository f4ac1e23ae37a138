package cli

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jtune/internal/must"
)

func TestHelpListsTheDailyCommandsAndThreeGroups(t *testing.T) {
	t.Parallel()
	out := jtune(t, "--help").done(t).out
	var shown []string
	for line := range strings.Lines(out) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  "); ok && strings.HasPrefix(line, "  ") &&
			!strings.HasPrefix(name, "-") {
			shown = append(shown, name)
		}
	}
	slices.Sort(shown)
	want := "apply ask config doctor fleet lab list report revert run soak tune verify watch"
	must.Equal(t, strings.Join(shown, " "), want)
	must.Lack(t, out, "Available Commands")
}

// The help of tune fits a terminal of 80x24 with the prompt, and names ten flags.
func TestHelpOfTuneFitsOneScreen(t *testing.T) {
	t.Parallel()
	rows, flags := 1, 0
	out := jtune(t, "tune", "--help").done(t).out
	for line := range strings.Lines(out) {
		n := len([]rune(strings.TrimSuffix(line, "\n")))
		rows += max(1, (n+helpWidth-1)/helpWidth)
		if strings.HasPrefix(line, "  --") {
			flags++
		}
	}
	if rows > 24 || flags != 10 || !strings.Contains(out, "--fresh") || !strings.Contains(out, "--json") {
		t.Errorf("%d rows, %d flags:\n%s", rows, flags, out)
	}
}

func TestFormerNamesRunThePresentCommand(t *testing.T) {
	t.Parallel()
	root := new(app).root()
	names := moved(root)
	for former, now := range names {
		words := strings.Fields(former)
		a, b := jtune(t, append(words, "--help")...), jtune(t, append(strings.Fields(now), "--help")...)
		if strings.HasSuffix(now, "suspend") {
			a.fails(t, exitUsage, "use systemctl suspend")
			continue
		}
		must.Equal(t, a.done(t).out, b.done(t).out, former, now)
		must.Equal(t, a.err, "", former, now)
		topic := former == "modes"
		if h := jtune(t, append([]string{"help"}, words...)...).done(t).out; !topic && h != b.out {
			t.Errorf("jtune help %s: %s", former, h)
		}
	}
	for _, name := range strings.Fields("choose front predict explain advice rank exporter wake evaluate experiment " +
		"fidelity reproduce plot profile pair convert demo export fit merge import repeat modes harness research") {
		if names[name] == "" {
			t.Errorf("jtune %s answers no more", name)
		}
	}
	must.Equal(t, names["device wake"], "fleet wake")
	must.Equal(t, names["research"], "lab")
	for _, line := range []string{"--device virtual:nano modes --sample 1", "export nvpmodel MAXN --name X",
		"export --name X nvpmodel MAXN", "research --data-dir x fidelity --help", "list --json campaigns list"} {
		jtune(t, strings.Fields(line)...).done(t)
	}
	jtune(t, "device", "--device", "virtual:nano", "suspend", "--dry-run").fails(t, exitUsage, "is gone")
}

// Every command of an earlier version answers with every flag that it had, but for those that the contract names as
// gone, which say what to use.
func TestCommandsOfAnEarlierVersionAnswer(t *testing.T) {
	t.Parallel()
	list := must.Read(t, "testdata/commands-baca48b6.txt")
	replaced := strings.Fields("--keep --reduce") // of models: the profiles
	root, asked := new(app).root(), 0
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		n := max(1, slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") }))
		if !strings.Contains(line, "--") {
			n = len(words)
		}
		path, flags := words[:n], words[n:]
		now, _ := present(root, path)
		c, rest, err := root.Find(now)
		asked++
		switch {
		case err != nil || len(rest) > 0:
			t.Errorf("jtune %s: %v, %v", strings.Join(path, " "), rest, err)
			continue
		case c.DisableFlagParsing:
			jtune(t, path...).fails(t, exitUsage, "is gone: use ")
			continue
		}
		for _, flag := range flags {
			name := strings.TrimPrefix(flag, "--")
			has := func(c *cobra.Command) bool { return c.Flag(name) != nil }
			if !has(c) && !slices.ContainsFunc(c.Commands(), has) && // fleet --group G tune
				!(path[0] == "models" && slices.Contains(replaced, flag)) {
				t.Errorf("jtune %s is jtune %s now, which has no %s", strings.Join(path, " "), strings.Join(now, " "),
					flag)
			}
		}
	}
	must.Equal(t, asked, 77)
}

func TestListPrintsAllFour(t *testing.T) {
	t.Parallel()
	args := with(virtualBoard, "--data-dir", t.TempDir())
	doc := jtune(t, with(args, "list", "--json")...).done(t).object(t, "campaigns models workloads device")
	for _, name := range []string{"models list", "workloads", "device"} {
		one := jtune(t, with(args, append(strings.Fields(name), "--json")...)...).done(t).out
		got, err := json.Marshal(doc[strings.Fields(name)[0]])
		var want any
		err = errors.Join(err, json.Unmarshal([]byte(one), &want))
		must.NoError(t, err)
		if again, _ := json.Marshal(want); string(again) != string(got) {
			t.Errorf("list --json has other %s: %s", name, got)
		}
	}
	text := jtune(t, with(args, "list")...).done(t).out
	for _, name := range []string{"campaigns", "models", "workloads", "device"} {
		must.Contain(t, "\n"+text, "\n"+name+":\n")
		one := jtune(t, with(args, "list", name)...).done(t).out
		if two := jtune(t, with(args, name)...).done(t).out; one != two && name != "device" {
			t.Errorf("list %s is not %s", name, name)
		}
	}
}

func TestNumbersTakeTheirUnit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"watch --interval 0.1s --count 1", "watch --interval 1 --count 1",
		"apply MAXN --yes --keep-after 30"} {
		jtune(t, append(strings.Fields(line), virtualBoard...)...).done(t)
	}
}

func TestHelpHasTopics(t *testing.T) {
	t.Parallel()
	for _, topic := range topics {
		out := jtune(t, "help", topic.name).done(t).out
		if !strings.HasPrefix(out, topic.part().short+"\n") || len(out) < 150 {
			t.Errorf("%s: %s", topic.name, out)
		}
		for line := range strings.Lines(out) {
			if len([]rune(line)) > helpWidth+1 {
				t.Errorf("%s: a long line: %s", topic.name, line)
			}
		}
	}
	jtune(t, "help", "exit", "codes").done(t)
	for word, nearest := range map[string]string{
		"exit": "exit-codes", "limit": "limits", "tun": "tune", "aply": "apply",
	} {
		jtune(t, "help", word).fails(t, exitUsage, "the nearest is "+nearest+";")
	}
}
