package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// object is part of an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/).
type object = map[string]any

// sbom lists jtune and its modules. Equal modules, version and time give equal bytes.
func sbom(list []module, version string, made time.Time) ([]byte, error) {
	const document, program, unknown = "SPDXRef-DOCUMENT", "SPDXRef-jtune", "NOASSERTION"
	var packages, relations []object
	add := func(id, name, version, licence, from, kind string) object {
		p := object{"SPDXID": id, "name": name, "versionInfo": version, "downloadLocation": unknown,
			"filesAnalyzed": false, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": unknown}
		packages = append(packages, p)
		relations = append(relations, object{"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": id})
		return p
	}
	add(program, "jtune", version, "Apache-2.0", document, "DESCRIBES")
	for i, m := range list {
		p := add(fmt.Sprintf("SPDXRef-module-%d", i), m.Path, m.Version, m.licence, program, "CONTAINS")
		if m.Path != "std" {
			p["externalRefs"] = []object{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
				"referenceLocator": "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version}}
		}
	}
	text, err := json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": "jtune-" + version,
		"documentNamespace": fmt.Sprintf("https://spdx.org/spdxdocs/jtune-%s-%d", version, made.Unix()),
		"creationInfo": object{"created": made.UTC().Format(time.RFC3339),
			"creators": []string{"Tool: jtune-notices"}},
		"packages": packages, "relationships": relations,
	}, "", "  ")
	return append(text, '\n'), err
}
