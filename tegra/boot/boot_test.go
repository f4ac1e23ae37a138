package boot

import (
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestUnitIsThisText(t *testing.T) {
	t.Parallel()
	got := must.Get(Unit{Program: "/usr/local/bin/jtune", Mode: "12c/2.20C/1.30G/3.20M",
		Flags: []string{"--dvfs=off", "--fan=max"}}.Text())(t)
	const want = `# Written by jtune apply --at-boot; jtune apply --at-boot off removes it.
[Unit]
Description=Power mode 12c/2.20C/1.30G/3.20M (jtune)
After=nvpower.service nvpmodel.service nvfancontrol.service jetson_clocks.service multi-user.target
ConditionPathExists=/usr/local/bin/jtune

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=120
ExecStart=/usr/local/bin/jtune apply 12c/2.20C/1.30G/3.20M --yes --device=jetson --log-file=/var/log/jtune-mode.log --dvfs=off --fan=max

[Install]
WantedBy=multi-user.target
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if c := Command(got); !strings.HasPrefix(c, "/usr/local/bin/jtune apply ") {
		t.Errorf("got command %q", c)
	}
}

func TestWordsThatSystemdWouldTakeApartAreQuoted(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/usr/bin/jtune":  "/usr/bin/jtune",
		"/opt/my jtune":   `"/opt/my jtune"`,
		`/opt/a"b`:        `"/opt/a\"b"`,
		`/opt/a\b`:        `"/opt/a\\b"`,
		"/opt/100%":       `"/opt/100%%"`,
		"/opt/$HOME/x":    `"/opt/$$HOME/x"`,
		"/opt/a;b":        `"/opt/a;b"`,
		"/opt/größe":      `"/opt/größe"`,
		"--dvfs=on":       "--dvfs=on",
		"12c/2.20C/1G/3M": "12c/2.20C/1G/3M",
	} {
		if got := quote(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

func TestUnitThatCouldSmuggleALineIsRefused(t *testing.T) {
	t.Parallel()
	for name, u := range map[string]Unit{
		"a relative program":         {Program: "jtune", Mode: "MAXN"},
		"a newline in the program":   {Program: "/opt/x\nExecStart=/bin/sh", Mode: "MAXN"},
		"a newline in the mode":      {Program: "/opt/x", Mode: "MAXN\n[Service]"},
		"a newline in a flag":        {Program: "/opt/x", Mode: "MAXN", Flags: []string{"a\rb"}},
		"a mode that is not there":   {Program: "/opt/x"},
		"a null byte in the program": {Program: "/opt/\x00", Mode: "MAXN"},
	} {
		if text, err := u.Text(); err == nil {
			t.Errorf("%s: got %q, want an error", name, text)
		}
	}
}
