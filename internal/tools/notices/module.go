package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module linked into the binary.
type module struct {
	Path    string
	Version string
	Dir     string
	Main    bool
	Replace *module

	licence string // SPDX identifier
	texts   []notice
}

// notice is a file of a module that must be distributed with it.
type notice struct{ name, text string }

// modules lists the modules of the Linux binary for an architecture, by path.
func modules(arch string) ([]module, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return parseModules(bytes.NewReader(out))
}

// parseModules parses the packages that go list prints.
func parseModules(r io.Reader) ([]module, error) {
	var list []module
	for d := json.NewDecoder(r); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := *p.Module
		if m.Replace != nil {
			m.Path, m.Version, m.Dir = m.Replace.Path, m.Replace.Version, cmp.Or(m.Replace.Dir, m.Dir)
		}
		m.Replace = nil
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b module) bool { return a.Path == b.Path }), nil
}

// noticeFile matches the names of files that must be distributed.
var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)

// thirdParty is a folder of further licences, for code that a module copied.
const thirdParty = "THIRD_PARTY_LICENSES"

// read reads the module's notices and identifies its licence.
func (m *module) read() error {
	for _, dir := range []string{m.Dir, filepath.Join(m.Dir, thirdParty)} {
		entries, err := os.ReadDir(dir)
		if err != nil && (dir == m.Dir || !errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || dir == m.Dir && !noticeFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return fmt.Errorf("%s: %w", m.Path, err)
			}
			m.texts = append(m.texts, notice{e.Name(), string(text)})
			if m.licence == "" && dir == m.Dir {
				m.licence = identify(string(text))
			}
		}
	}
	if m.licence == "" {
		return fmt.Errorf("%s %s: no licence that is known here in %s: look at it, and add it to identify", m.Path,
			m.Version, m.Dir)
	}
	return nil
}

// licences are recognised by phrases in their text.
var licences = []struct {
	id    string
	words []string
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0, January 2004"}},
	{"MIT", []string{"Permission is hereby granted, free of charge", "without restriction"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "Neither the name"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
}

// identify returns the SPDX identifier of a licence; "" for an unknown one.
func identify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range licences {
		if !slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(text, w) }) {
			return l.id
		}
	}
	return ""
}

// apacheText is the path of the Apache licence on Debian and Ubuntu.
const apacheText = "/usr/share/common-licenses/Apache-2.0"

// copyright returns the copyright file of a package: our licence, and the notices of every module.
func copyright(list []module) string {
	var b strings.Builder
	b.WriteString("jtune finds the best power mode of an NVIDIA Jetson for a training job.\n\n" +
		"Copyright: the authors of jtune\nLicence: Apache-2.0\n\n" +
		"On Debian systems the full text of the Apache licence, version 2.0, is in\n" + apacheText + ".\n\n" +
		"The program is linked with the Go modules below, each under the licence that follows it.\n")
	for _, m := range list {
		name := m.Path
		if name == "std" {
			name = "The Go standard library"
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n", strings.Repeat("-", 78), name, m.Version, m.licence)
		for _, n := range m.texts {
			text := strings.TrimSpace(strings.ReplaceAll(n.text, "\r\n", "\n"))
			if identify(text) == "Apache-2.0" {
				text = "The Apache licence, version 2.0: " + apacheText
			}
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", n.name, text)
		}
	}
	return b.String()
}
