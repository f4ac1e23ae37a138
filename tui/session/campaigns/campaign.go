package campaigns

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// Kinds of plans.
const (
	TuneKind   = "tune"   // a search
	LoadKind   = "load"   // requests at a rate in one mode
	VerifyKind = "verify" // readings of one mode
	ModesKind  = "modes"  // chosen from the results so far: a profile, or a search over the front
)

// HeaderOf describes a campaign in its folder. Its creation time is the machine's, because a virtual board's clock may
// be days ahead.
func HeaderOf(s *session.Session, w workload.Workload, plan record.PlanHeader, search *record.SearchHeader,
	set record.Settings) record.Header {
	return record.Header{Jtune: session.Version, Created: time.Now(), Seed: s.Seed,
		Device: s.DeviceHeader(), Found: record.NewFoundHeader(s.Device.Presets(), s.Setup()), Workload: w,
		Plan: plan, Search: search, Settings: profiles.SettingsFor(w, set)}
}

var anotherFolder = "choose another folder with " + usage.Out.Value()

// Record opens the folder of a campaign; dir "" creates one in the data directory, named after date, workload and kind.
func Record(s *session.Session, dir string, h record.Header, resume bool) (*record.Record, error) {
	advice := anotherFolder
	if dir == "" {
		advice = Elsewhere
		var err error
		if dir, err = newCampaignDir(s.Paths, h); err != nil {
			return nil, config.Denied(err, advice)
		}
	}
	open := func() (*record.Record, error) { return record.OpenOrCreate(dir, h, resume) }
	if h.Plan.Kind == TuneKind { // a search cannot be resumed
		open = func() (*record.Record, error) { return record.Create(dir, h) }
	}
	r, err := open()
	return r, config.Denied(err, advice)
}

func newCampaignDir(o config.Paths, h record.Header) (string, error) {
	parent := o.CampaignsDir()
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	kind := h.Plan.Kind
	if kind == record.ExperimentKind || h.Plan.Source == SoakSource {
		kind = h.Plan.Source
	}
	base := fmt.Sprintf("%s-%s-%s", h.Created.Format("20060102-150405"), safefile.Name(h.Workload.Name), kind)
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

// CampaignProvenance returns the origin of a campaign's rows.
func CampaignProvenance(dir string, head record.Header) learn.Provenance {
	presets, found := head.Found.Read()
	return learn.Provenance{Software: strings.Join(record.Software(dir, head), "; "), Device: head.Device.Name,
		Workload: head.Workload.Name, Virtual: head.Device.Virtual, Replay: head.Device.Replay, Presets: presets,
		Found: found}
}
