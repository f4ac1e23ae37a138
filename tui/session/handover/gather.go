package handover

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"jtune/internal/document"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/questions"
	"jtune/tui/session/soak"
)

// Report is what a report says, before it is put into words.
type Report struct {
	Name     string // of the campaign
	Header   record.Header
	Software []string
	Space    *tegra.Space
	Rows     []record.Row     // of the search with all its parts, or of the campaign
	Kept     *answers.Kept    // nil: it is no search
	Since    []tegra.Setting  // what is better than each answer by now; zero: nothing
	Known    *outlook.Outlook // by the model of all that is known; nil without one
	Soaks    []*soak.Kept     // the newest of each answer's mode; nil where there is none
	Jtune    string           // version that writes it
	Made     time.Time
	Notes    []string // what could not be read
	Commands Commands
}

// Commands are lines of a command line to copy, of a mode in the board's notation; nil functions give none.
type Commands struct {
	Set     func(mode string) []string // set it again
	SetSays string                     // what these do
	Prove   func(job, mode string) string
}

// ErrNoSearch says that there is nothing to report on.
var ErrNoSearch = errors.New("no search yet; jtune tune starts one")

// Find is the campaign that a report is on: the one that is named, else the newest that keeps an answer.
func Find(o session.Options, name string) (campaigns.Campaign, error) {
	if name != "" {
		return campaigns.Find(o.Paths, name)
	}
	list, err := campaigns.List(o.Paths)
	if err != nil {
		return campaigns.Campaign{}, err
	}
	for _, c := range slices.Backward(list) {
		if k, err := questions.Answer(c); c.Err == nil && err == nil && k != nil {
			return c, nil
		}
	}
	return campaigns.Campaign{}, ErrNoSearch
}

// Of is the report on the campaign that Find finds.
func Of(o session.Options, name string, by Commands, now time.Time) (Report, error) {
	c, err := Find(o, name)
	if err != nil {
		return Report{}, err
	}
	return Gather(o, c, by, now)
}

// Write is the report on the campaign that Find finds, in words.
func Write(o session.Options, name string, by Commands, now time.Time) (document.Document, error) {
	r, err := Of(o, name, by, now)
	if err != nil {
		return document.Document{}, err
	}
	return r.Document(), nil
}

// Gather reads what a report says: of a search, of a soak, or of any other campaign.
func Gather(o session.Options, c campaigns.Campaign, by Commands, now time.Time) (r Report, err error) {
	list, err := campaigns.List(o.Paths)
	if err != nil {
		return Report{}, err
	}
	r = Report{Jtune: session.Version, Made: now, Commands: by}
	head, kept, err := questions.Find(list, c)
	if err != nil { // what was measured is reported all the same
		r.Notes, err = append(r.Notes, err.Error()), nil
	}
	r.Name, r.Header, r.Kept = head.Name, head.Header, kept
	r.Software, r.Rows = record.Software(head.Dir, head.Header), head.Rows
	for _, part := range list {
		if head.Header.Plan.PartOf == "" && part.Header.Plan.PartOf == head.Header.Began() {
			r.Rows = append(r.Rows, part.Rows...)
		}
	}
	if r.Space, err = head.Header.Device.Space(); err != nil {
		return Report{}, fmt.Errorf("%s: %w", head.Name, err)
	}
	if soak.Is(head.Header) {
		s, err := soak.Read(head.Dir)
		if err != nil {
			return Report{}, err
		}
		r.Soaks = []*soak.Kept{&s}
		return r, nil
	}
	if kept != nil {
		for i, a := range kept.Answers {
			better, _ := questions.Since(list, head, kept, i)
			r.Since = append(r.Since, better)
			proof, err := SoakOf(list, head, a.Setting)
			if err != nil {
				r.Notes = append(r.Notes, err.Error())
			}
			r.Soaks = append(r.Soaks, proof)
		}
	}
	r.Known = r.known(o, list, head)
	return r, nil
}

// SoakOf is the newest soak of a setting with the workload and board of a campaign; nil where there is none. The error
// is about soaks that cannot be read.
func SoakOf(list []campaigns.Campaign, of campaigns.Campaign, at tegra.Setting) (proof *soak.Kept, faults error) {
	batch := cmp.Or(at.Batch, of.Header.Workload.Batch)
	for _, c := range slices.Backward(list) {
		if c.Err != nil || !soak.Is(c.Header) || c.Header.Workload.Name != of.Header.Workload.Name ||
			c.Header.Workload.Batch != batch || models.Board(c) != models.Board(of) {
			continue
		}
		s, err := soak.Read(c.Dir)
		switch {
		case errors.Is(err, os.ErrNotExist): // of an earlier version
		case err != nil:
			faults = errors.Join(faults, err)
		case s.Result.Mode == tegra.Some(at.Mode):
			return &s, faults
		}
	}
	return nil, faults
}

// known is what the model of a campaign's workload says of all modes; nil without one.
func (r *Report) known(o session.Options, list []campaigns.Campaign, c campaigns.Campaign) *outlook.Outlook {
	var batches []int
	if r.Kept != nil {
		batches = r.Kept.Batches
	}
	pool := models.CollectPool(list, c.Header.Workload, models.Board(c), batches)
	path := models.ModelOf(o.Paths, pool)
	if path == "" {
		return nil
	}
	m, err := models.Load(o, path)
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
		return nil
	}
	if m.Batches != nil { // of the answer's batch size
		if r.Kept == nil || r.Kept.Answers[0].Batch == 0 {
			return nil
		}
		m = m.At(r.Kept.Answers[0].Batch)
	}
	return outlook.New(c.Header.Workload.Name, m, m.Space)
}
