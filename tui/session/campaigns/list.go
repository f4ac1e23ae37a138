package campaigns

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jtune/internal/sorted"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/config"
)

// Campaign is a folder of measured modes in the data directory.
type Campaign struct {
	Name   string // of the folder
	Dir    string
	Header record.Header
	Rows   []record.Row
	Err    error // the folder could not be read as a campaign
}

// List lists the campaigns of the data directory, oldest first. An unreadable folder is listed with its error.
func List(o config.Paths) ([]Campaign, error) { return CampaignsIn(o.CampaignsDir()) }

func CampaignsIn(parent string) ([]Campaign, error) {
	dirs, err := folders(parent)
	if err != nil {
		return nil, err
	}
	out := parallel(dirs, ReadCampaignFolder)
	sorted.Stable(out, func(a, b Campaign) int { return a.Header.Created.Compare(b.Header.Created) })
	return out, nil
}

func ReadCampaignFolder(dir string) Campaign {
	c := Campaign{Name: filepath.Base(dir), Dir: dir}
	c.Header, c.Rows, c.Err = record.Read(dir)
	return c
}

// CampaignState is the state of a campaign.
type CampaignState string

// States of campaigns.
const (
	CampaignRunning     CampaignState = "running" // a process holds its folder
	CampaignInterrupted CampaignState = "interrupted"
	CampaignFinished    CampaignState = "finished"
)

// State returns the state of the campaign; held are the folders that processes hold.
func (c *Campaign) State(held []record.Running) CampaignState {
	plan := c.Header.Plan
	switch ended := record.Ended(c.Dir); {
	case slices.ContainsFunc(held, func(r record.Running) bool { return SameFolder(r.Dir, c.Dir) }):
		return CampaignRunning
	case ended == "complete", ended == "" && plan.Kind == TuneKind && c.Header.Search == nil,
		ended == "" && len(c.Rows) > 0 && len(c.Rows) >= plan.Readings() && plan.Kind != TuneKind:
		return CampaignFinished
	}
	return CampaignInterrupted
}

// Held lists the campaign folders of the data directory that processes hold.
func Held(o config.Paths) []record.Running {
	finder := record.Finder{Parents: []string{o.CampaignsDir()}}
	return finder.Held()
}

// Usable counts the settings of the campaign that have a usable reading.
func (c *Campaign) Usable() int { return len(tegra.OncePerSetting(record.Usable(c.Rows))) }

// Modes counts the settings that were measured, usable or not.
func (c *Campaign) Modes() int { return len(c.Settings()) }

// Settings returns the measured settings, usable or not, each once and in order.
func (c Campaign) Settings() []tegra.Setting { return record.Modes(c.Rows) }

// What describes what the campaign measures.
func (c *Campaign) What() string { return PlanText(c.Header.Plan, c.Header.Search) }

// strategy returns the strategy of a search; "" if the plan lists its modes.
func (c *Campaign) strategy() string {
	switch search := c.Header.Search; {
	case search != nil && search.Coverage == CoverFront.String():
		return "front"
	case search != nil:
		return search.Strategy
	}
	return ""
}

// Find finds a campaign of the data directory by name, or any folder by path.
func Find(o config.Paths, name string) (Campaign, error) {
	dir := name
	if !strings.ContainsRune(name, filepath.Separator) {
		dir = filepath.Join(o.CampaignsDir(), name)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		err := fmt.Errorf("no campaign %s in %s: jtune campaigns lists them", name, o.CampaignsDir())
		if _, here := record.CampaignDir(name); here && dir != name {
			err = fmt.Errorf("%w; the folder that is here is ./%s", err, name)
		}
		return Campaign{}, err
	}
	c := ReadCampaignFolder(dir)
	return c, c.Err
}
