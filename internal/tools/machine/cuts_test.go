package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// after returns the disk of a machine after a cut.
func after(t *testing.T, said string, files map[string]string) *crash {
	t.Helper()
	c := &crash{data: t.TempDir(), said: strings.Split(said, "\n")}
	for name, text := range files {
		full := filepath.Join(c.data, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
	return c
}

const (
	unitFile = "etc/systemd/system/jtune-mode.service"
	unitText = "# Written by jtune apply --at-boot; jtune apply --at-boot off removes it.\n[Service]\n" +
		"ExecStart=/bin/jtune apply 4c/0.73C/0.31G/2.13M --yes\n\n[Install]\nWantedBy=multi-user.target\n"
)

func TestCheckApplyFindsAUnitThatIsNotWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said, unit string
		findings   int
	}{
		"whole":                          {"BEGIN apply\nDONE 1 board apply", unitText, 0},
		"written before it was reported": {"BEGIN apply", unitText, 0},
		"cut off":                        {"BEGIN apply\nDONE 1 board apply", unitText[:len(unitText)-9], 1},
		"of the mode before the last":    {"DONE 1 a\nDONE 2 b", unitText, 1},
		"empty":                          {"BEGIN apply", "", 1},
		"not gone, though it was ended":  {"DONE 1 a\nDONE 2 b\nDONE 3 c", unitText, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checkApply(t.Context(), after(t, c.said, map[string]string{unitFile: c.unit}))
			if len(got) != c.findings {
				t.Errorf("got %q, want %d findings", got, c.findings)
			}
		})
	}
}

func TestCheckRowsFindsALostRow(t *testing.T) {
	t.Parallel()
	const line = "1/8  11c/1.88C/0.83G/3.20M  ok  77.0 ms  34.4 W  21s to 1m50s remaining"
	c := after(t, "BEGIN profile\n"+line, nil)
	if got := c.checkRows(filepath.Join(c.data, "none")); len(got) != 1 {
		t.Errorf("got %q, want that the record is missing", got)
	}
	if got := c.done(); len(got) != 1 || got[0] != "11c/1.88C/0.83G/3.20M" {
		t.Errorf("got %q, want the line's mode", got)
	}
	c.said = c.said[:1]
	if got := c.checkRows(filepath.Join(c.data, "none")); len(got) != 0 {
		t.Errorf("got %q of a cut before the first mode", got)
	}
}

func TestCheckConfigFindsAFileThatIsNotWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		findings int
	}{
		"of the last edit": {configText(1), 0},
		"of the next one":  {configText(2), 0},
		"of one before":    {configText(0), 1},
		"cut off":          {configText(1)[:4096], 1},
		"empty":            {"", 1},
	} {
		got := checkConfig(t.Context(), after(t, "BEGIN config\nDONE 1 jtune config edit",
			map[string]string{configName: c.text}))
		if len(got) != c.findings {
			t.Errorf("%s: got %q, want %d findings", name, got, c.findings)
		}
	}
}
