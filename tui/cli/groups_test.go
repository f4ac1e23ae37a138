package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestHelpShowsAtMostThirtyCommandsInSevenGroups(t *testing.T) {
	t.Parallel()
	out := jtune(t, "--help").done(t).out
	for _, g := range groups {
		if !strings.Contains(out, "\n"+g.Title+":\n") {
			t.Errorf("no group %q", g.Title)
		}
	}
	root := (&app{out: io.Discard, err: io.Discard}).root()
	ownHelp(root)
	shown := 0
	for _, c := range root.Commands() {
		if c.Name() == "help" || !c.IsAvailableCommand() {
			continue
		}
		if shown++; c.GroupID == "" {
			t.Errorf("jtune %s is in no group", c.Name())
		}
	}
	if len(groups) != 7 || shown > 30 {
		t.Errorf("%d commands in %d groups, want at most 30 in 7", shown, len(groups))
	}
	if strings.Contains(out, "Available Commands") {
		t.Errorf("commands without a group:\n%s", out)
	}
}

func TestFormerNamesRunThePresentCommand(t *testing.T) {
	t.Parallel()
	for former, now := range moved {
		root := new(app).root()
		c, rest, err := root.Find(strings.Fields(now))
		if err != nil || len(rest) > 0 || c.CommandPath() != "jtune "+now {
			t.Errorf("%s is announced as %q: %v", former, now, err)
		}
		a, b := jtune(t, former, "--help"), jtune(t, append(strings.Fields(now), "--help")...)
		if a.done(t).out != b.done(t).out || a.err != "" {
			t.Errorf("jtune %s --help is not that of jtune %s, or stderr has %q", former, now, a.err)
		}
		if h := jtune(t, "help", former).done(t).out; former != "modes" && h != b.out { // modes is also a topic
			t.Errorf("jtune help %s: %s", former, h)
		}
	}
	for _, line := range []string{"--device virtual:nano modes --sample 1", "export nvpmodel MAXN --name X",
		"export --name X nvpmodel MAXN"} {
		jtune(t, strings.Fields(line)...).done(t)
	}
}

func TestFlagsOfEveryCommandAreListedOnce(t *testing.T) {
	t.Parallel()
	root := new(app).root()
	each(root, func(c *cobra.Command) {
		if c.Hidden || c == root {
			return
		}
		out := jtune(t, append(strings.Fields(c.CommandPath())[1:], "--help")...).done(t).out
		for _, flag := range []string{"--sysroot", "--quirks", "--log-file"} {
			if strings.Contains(out, "      "+flag) {
				t.Errorf("%s --help lists %s", c.CommandPath(), flag)
			}
		}
	})
	flags, virtual := jtune(t, "help", "flags").done(t).out, jtune(t, "help", "virtual").done(t).out
	for name, out := range map[string]string{"--sysroot": flags, "--data-dir": flags, "--quirks": virtual,
		"--speed": virtual} {
		if !strings.Contains(out, name+" ") && !strings.Contains(out, name+"[=") {
			t.Errorf("%s is not listed:\n%s", name, out)
		}
	}
}

func TestNumbersTakeTheirUnit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"watch --interval 0.1s --count 1", "watch --interval 1 --count 1",
		"apply MAXN --yes --keep-after 30"} {
		jtune(t, append(strings.Fields(line), virtualBoard...)...).done(t)
	}
	for _, line := range [][]string{{"tune", "gpt9", "--power-limit", "30W"},
		{"tune", "gpt9", "--power-limit", "20 W,25W"},
		{"tune", "gpt9", "--time-limit", "80ms"}, {"tune", "gpt9", "--latency", "0.05 s", "--rate", "30/s"}} {
		jtune(t, append(line, virtualBoard...)...).fails(t, exitUsage, "gpt9") // the number is parsed
	}
	jtune(t, "tune", "lenet5", "--power-limit", "30ms").fails(t, exitUsage, `--power-limit "30ms": want a number`)
}

func TestHelpHasTopics(t *testing.T) {
	t.Parallel()
	for _, topic := range topics {
		out := jtune(t, "help", topic.name).done(t).out
		if !strings.HasPrefix(out, topic.title+"\n") || len(out) < 150 {
			t.Errorf("%s: %s", topic.name, out)
		}
		for line := range strings.Lines(out) {
			if len([]rune(line)) > helpWidth+1 {
				t.Errorf("%s: a long line: %s", topic.name, line)
			}
		}
	}
	jtune(t, "help", "exit", "codes").done(t)
	jtune(t, "help", "weather").fails(t, exitUsage, "no command or topic")
	for word, nearest := range map[string]string{
		"exit": "exit-codes", "limit": "limits", "tun": "tune", "aply": "apply",
	} {
		jtune(t, "help", word).fails(t, exitUsage, "the nearest is "+nearest+";")
	}
}
