package session

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"jtune/profiles"
)

// Version is written into records and models; main sets it at link time.
var Version = "dev"

// tuneKind is the kind of plan of a search.
const tuneKind = "tune"

// header is what a campaign folder says of itself. It was made when the user's
// clock says so: a virtual board's may be days ahead.
func (s *Session) header(w profiles.Workload, plan profiles.PlanHeader, set profiles.Settings) profiles.Header {
	return profiles.Header{Jtune: Version, Created: time.Now(), Seed: s.Options.Seed,
		Device: profiles.NewDeviceHeader(s.Device), Workload: w, Plan: plan, Settings: set}
}

// Running lists the campaigns that other processes run now.
func (s *Session) Running() []profiles.Running { return s.finder.Running() }

// record opens the folder of a campaign; dir "" makes a new one below the
// data directory, named after the time of day, workload and kind.
func (s *Session) record(dir string, h profiles.Header, resume bool) (*profiles.Record, error) {
	advice := "choose another folder with --out DIR"
	if dir == "" {
		advice = "choose another place with --data-dir DIR"
		var err error
		if dir, err = s.newCampaignDir(h); err != nil {
			return nil, denied(err, advice)
		}
	}
	open := func() (*profiles.Record, error) { return profiles.OpenOrCreate(dir, h, resume) }
	if h.Plan.Kind == tuneKind { // which cannot be resumed
		open = func() (*profiles.Record, error) { return profiles.Create(dir, h) }
	}
	r, err := open()
	return r, denied(err, advice)
}

func (s *Session) newCampaignDir(h profiles.Header) (string, error) {
	parent := s.Options.campaignsDir()
	if err := profiles.MakeDir(parent); err != nil {
		return "", err
	}
	kind := h.Plan.Kind
	if kind == profiles.ExperimentKind {
		kind = h.Plan.Source
	}
	base := fmt.Sprintf("%s-%s-%s", h.Created.Format("20060102-150405"), safeName(h.Workload.Name), kind)
	for n := 1; ; n++ {
		dir := filepath.Join(parent, base)
		if n > 1 {
			dir += fmt.Sprintf("-%d", n)
		}
		err := os.Mkdir(dir, 0o755)
		if !os.IsExist(err) {
			return dir, err
		}
	}
}

// safeName makes a workload's name fit to be part of a file name.
func safeName(name string) string {
	out := []rune(name)
	for i, r := range out {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.' && i > 0:
		default:
			out[i] = '_'
		}
	}
	return string(out)
}
