package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tegra"
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

// sharedFor returns the profile made from shared files of such a board; nil if there is none.
func sharedFor(o config.Paths, board tegra.Board) *learn.Reference {
	if board.Name == "" {
		return nil
	}
	r, err := learn.LoadReference(filepath.Join(o.ModelsDir(), ownProfile(board.Name)+referenceSuffix))
	if err != nil || r.Compact == nil || r.Compact.Device != board.Name ||
		r.Compact.Virtual != (board.Virtual && board.Replay == "") {
		return nil
	}
	return r
}

// Reference finds a reference by the name given to --reference; nil if the name is empty.
func Reference(o config.Paths, name string) (*learn.Reference, error) {
	return ReferenceOn(o, name, tegra.Board{}, nil)
}

// ReferenceOn finds the reference; nil for none. "" is the shipped profile of the board if it suits the space, or else
// the profile made from shared files. Any other name is a shipped reference, a file, or a model or campaign in the data
// directory.
func ReferenceOn(o config.Paths, name string, board tegra.Board, space *tegra.Space) (*learn.Reference, error) {
	switch name {
	case "":
		if r := learn.ReferenceFor(board, space); r != nil {
			return r, nil
		}
		return sharedFor(o, board), nil
	case "none":
		return nil, nil
	case learn.ShippedName:
		return learn.ShippedReference(), nil
	}
	if r := learn.ProfileReference(name); r != nil {
		return r, nil
	}
	for _, path := range []string{Path(o, name), filepath.Join(o.CampaignsDir(), name)} {
		if _, err := os.Stat(path); err == nil {
			return LoadReference(path)
		}
	}
	return nil, usage.Errorf("reference %q is neither a file nor %s, and no model or campaign of that name is in %s",
		name,
		strings.Join(append(learn.ProfileNames(), learn.ShippedName), " nor "), o.DataPath())
}
