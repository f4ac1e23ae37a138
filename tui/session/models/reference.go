package models

import (
	"fmt"
	"os"
	"path/filepath"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
)

// LoadReference reads a reference; from a campaign folder it also reads board and software, for comparison.
func LoadReference(path string) (*learn.Reference, error) {
	r, err := learn.LoadReference(path)
	if dir, ok := record.CampaignDir(path); ok && err == nil {
		head, _, _, err := record.ReadNoted(dir)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		r.Provenance = campaigns.CampaignProvenance(dir, head)
	}
	return r, err
}

// Reference finds a reference by the name given to --reference: the shipped one, a file, or a model or campaign in the
// data directory; nil for none.
func Reference(o config.Paths, name string) (*learn.Reference, error) {
	switch name {
	case "", "none":
		return nil, nil
	case learn.ShippedName:
		return learn.ShippedReference(), nil
	}
	for _, path := range []string{Path(o, name), filepath.Join(o.CampaignsDir(), name)} {
		if _, err := os.Stat(path); err == nil {
			return LoadReference(path)
		}
	}
	return nil, usage.Errorf("reference %q is neither a file nor %s, and no model or campaign of that name is in %s",
		name, learn.ShippedName, o.DataPath())
}
