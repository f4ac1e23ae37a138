package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The used parts of an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/).
type spdxDocument struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      spdxCreation   `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []spdxRelation `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID        string    `json:"SPDXID"`
	Name      string    `json:"name"`
	Version   string    `json:"versionInfo"`
	Download  string    `json:"downloadLocation"`
	Analyzed  bool      `json:"filesAnalyzed"`
	Concluded string    `json:"licenseConcluded"`
	Declared  string    `json:"licenseDeclared"`
	Copyright string    `json:"copyrightText"`
	Refs      []spdxRef `json:"externalRefs,omitempty"`
}

type spdxRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelation struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// sbom lists jtune and its modules. Equal modules, version and time give equal bytes.
func sbom(list []module, version string, made time.Time) ([]byte, error) {
	const document, program, unknown = "SPDXRef-DOCUMENT", "SPDXRef-jtune", "NOASSERTION"
	d := spdxDocument{
		Version:   "SPDX-2.3",
		License:   "CC0-1.0",
		ID:        document,
		Name:      "jtune-" + version,
		Namespace: fmt.Sprintf("https://spdx.org/spdxdocs/jtune-%s-%d", version, made.Unix()),
		Creation:  spdxCreation{made.UTC().Format(time.RFC3339), []string{"Tool: jtune-notices"}},
		Packages: []spdxPackage{{ID: program, Name: "jtune", Version: version, Download: unknown,
			Concluded: "Apache-2.0", Declared: "Apache-2.0", Copyright: unknown}},
		Relationships: []spdxRelation{{document, "DESCRIBES", program}},
	}
	for i, m := range list {
		p := spdxPackage{ID: fmt.Sprintf("SPDXRef-module-%d", i), Name: m.Path, Version: m.Version, Download: unknown,
			Concluded: m.licence, Declared: m.licence, Copyright: unknown}
		if m.Path != "std" {
			p.Refs = []spdxRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version}}
		}
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, spdxRelation{program, "CONTAINS", p.ID})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}
