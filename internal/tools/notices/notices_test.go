package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

const (
	mit    = "Copyright (c) A\n\nPermission is hereby granted,\nfree of charge, to deal without\nrestriction"
	bsd    = "Redistribution and use in source and binary\nforms … Neither the name of B"
	apache = "Apache License\n   Version 2.0, January 2004\n…"
)

// folder creates a module's folder with these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func TestModulesAreThoseOfThePackagesEachOnce(t *testing.T) {
	t.Parallel()
	list, err := parseModules(strings.NewReader(`{} {"Module":{"Path":"jtune","Main":true}}
		{"Module":{"Path":"b","Version":"v2","Dir":"/b"}} {"Module":{"Path":"b","Version":"v2","Dir":"/b"}}
		{"Module":{"Path":"a","Version":"v1","Replace":{"Path":"a","Version":"v0","Dir":"/a0"}}}`))
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if a, b := list[0], list[1]; a.Version != "v0" || a.Dir != "/a0" || b.Path != "b" || b.Dir != "/b" {
		t.Errorf("got %+v", list)
	}
}

func TestNoticesHoldEveryText(t *testing.T) {
	t.Parallel()
	list := []module{
		{Path: "m", Version: "v1", Dir: folder(t, map[string]string{"LICENSE": mit, "NOTICE.txt": "thanks to C",
			"main.go": "package m"})},
		{Path: "n", Version: "v2", Dir: folder(t, map[string]string{"COPYING": bsd,
			"THIRD_PARTY_LICENSES/X-LICENSE": "of X"})},
		{Path: "o", Version: "v3", Dir: folder(t, map[string]string{"LICENSE.md": apache})},
	}
	for i, want := range []string{"MIT", "BSD-3-Clause", "Apache-2.0"} {
		if err := list[i].read(); err != nil || list[i].licence != want {
			t.Errorf("%s: %q, %v; want %s", list[i].Path, list[i].licence, err, want)
		}
	}
	text := copyright(list)
	for _, want := range []string{"m v1 (MIT)", "Copyright (c) A", "thanks to C", "Neither the name of B", "of X",
		"o v3 (Apache-2.0)", apacheText} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "package m") {
		t.Error("a source file is taken for a notice")
	}
	made := time.Unix(1e9, 0)
	first := must.Get(sbom(list, "1.0", made))(t)
	var doc struct {
		Packages      []struct{ Name, LicenseConcluded string }
		Relationships []struct{ SPDXElementID, RelatedSPDXElement string }
	}
	if err := json.Unmarshal(first, &doc); err != nil || len(doc.Packages) != 4 || len(doc.Relationships) != 4 ||
		doc.Packages[1].Name != "m" || doc.Packages[1].LicenseConcluded != "MIT" ||
		doc.Relationships[1].SPDXElementID != "SPDXRef-jtune" ||
		doc.Relationships[1].RelatedSPDXElement != "SPDXRef-module-0" {
		t.Errorf("%v: %s", err, first)
	}
	if again, err := sbom(list, "1.0", made); err != nil || string(again) != string(first) {
		t.Error("the same modules give other bytes")
	}
}

func TestModuleOfAnUnknownLicenceIsRefused(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no file":          {"main.go": mit},
		"an unknown text":  {"LICENSE": "all rights reserved"},
		"only third party": {"THIRD_PARTY_LICENSES/MIT": mit},
	} {
		m := module{Path: "p", Version: "v1", Dir: folder(t, files)}
		if err := m.read(); err == nil || !strings.Contains(err.Error(), "p v1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
