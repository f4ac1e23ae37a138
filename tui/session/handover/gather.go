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
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/soak"
)

// Report is the content of a report before it is formatted.
type Report struct {
	Name     string // of the campaign
	Header   record.Header
	Software []string
	Space    *tegra.Space
	Rows     []record.Row // of the search with all its parts, or of the campaign
	Answers
	Known    *outlook.Outlook // from the model of everything known; nil without one
	Jtune    string           // version that writes the report
	Made     time.Time
	Notes    []string // what could not be read
	Commands Commands
}

// Commands return command lines to copy, for a mode in the board's notation; nil functions are omitted.
type Commands struct {
	Set     func(mode string) []string // set the mode again
	SetSays string                     // effect of these commands
	Prove   func(job, mode string) string
}

// Answers holds the answers of a search, and what is known of them by now.
type Answers struct {
	Kept  *answers.Kept   // nil: not a search
	Since []tegra.Setting // a better mode than each answer by now; zero: none
	Soaks []*soak.Kept    // newest soak of each answer's mode; nil if there is none
}

// AnswersOf returns those of the search that a campaign is, or is part of, with its first campaign. faults say what
// cannot be read: the rest is returned nevertheless.
func AnswersOf(list []campaigns.Campaign, c campaigns.Campaign) (head campaigns.Campaign, a Answers, faults []error) {
	head, kept, err := savedanswers.Find(list, c)
	if err != nil {
		faults = append(faults, err)
	}
	if a.Kept = kept; kept == nil {
		return head, a, faults
	}
	for i := range kept.Answers {
		better, _ := savedanswers.Since(list, head, kept, i)
		proof, err := soakOf(list, head, kept.Answers[i].Setting)
		if err != nil {
			faults = append(faults, err)
		}
		a.Since, a.Soaks = append(a.Since, better), append(a.Soaks, proof)
	}
	return head, a, faults
}

// Later says of answer i what is known besides its search.
func (a Answers) Later(i int, space *tegra.Space) document.Facts {
	worked, since := "", ""
	if a.Kept.Worked {
		worked = "computed from the rows of a folder of an earlier version"
	}
	if better := a.Since[i]; better != (tegra.Setting{}) {
		since = space.Setting(better)
	}
	return document.Facts{{"answer", worked}, {"better mode found since", since}}
}

// ErrNoSearch reports that there is nothing to report on.
var ErrNoSearch = errors.New("no search yet; jtune tune starts one")

// find returns the campaign for a report: the named one, else the newest that keeps an answer.
func find(o session.Options, list []campaigns.Campaign, name string) (campaigns.Campaign, error) {
	if name != "" {
		return campaigns.Find(o.Paths, name)
	}
	for _, c := range slices.Backward(list) {
		if c.Answer != nil {
			return c, nil
		}
	}
	return campaigns.Campaign{}, ErrNoSearch
}

// Of returns the report on a search, a soak, or any other campaign; name is "" for the newest that keeps an answer.
func Of(o session.Options, name string, by Commands, now time.Time) (r Report, err error) {
	list, err := campaigns.List(o.Paths)
	if err != nil {
		return Report{}, err
	}
	c, err := find(o, list, name)
	if err != nil {
		return Report{}, err
	}
	r = Report{Jtune: session.Version, Made: now, Commands: by}
	head, found, faults := AnswersOf(list, c)
	for _, fault := range faults {
		r.Notes = append(r.Notes, fault.Error())
	}
	r.Name, r.Header, r.Answers = head.Name, *head.Header, found
	r.Software, r.Rows = record.Software(head.Dir, *head.Header), head.Rows()
	for _, part := range list {
		if head.Header.Plan.PartOf == "" && part.Header.Plan.PartOf == head.Header.Began() {
			r.Rows = append(r.Rows, part.Rows()...)
		}
	}
	if r.Space, err = head.Header.Device.Space(); err != nil {
		return Report{}, fmt.Errorf("%s: %w", head.Name, err)
	}
	if soak.Is(*head.Header) {
		s, err := soak.Read(head.Dir)
		if err != nil {
			return Report{}, err
		}
		r.Soaks = []*soak.Kept{&s}
		return r, nil
	}
	r.Known = r.known(o, list, head)
	return r, nil
}

// soakOf returns the newest soak of a setting with the workload and board of a campaign; nil if there is none. faults
// lists soaks that cannot be read.
func soakOf(list []campaigns.Campaign, of campaigns.Campaign, at tegra.Setting) (proof *soak.Kept, faults error) {
	batch := cmp.Or(at.Batch, of.Header.Workload.Batch)
	for _, c := range slices.Backward(list) {
		if c.Err != nil || !soak.Is(*c.Header) || c.Header.Workload.Name != of.Header.Workload.Name ||
			c.Header.Workload.Batch != batch || c.Board != of.Board {
			continue
		}
		s, err := soak.Read(c.Dir)
		switch {
		case errors.Is(err, os.ErrNotExist): // from an earlier version
		case err != nil:
			faults = errors.Join(faults, err)
		case s.Result.Mode == tegra.Some(at.Mode):
			return &s, faults
		}
	}
	return nil, faults
}

// known returns the predictions of a campaign's model for all modes; nil without a model.
func (r *Report) known(o session.Options, list []campaigns.Campaign, c campaigns.Campaign) *outlook.Outlook {
	var batches []int
	size := 0 // the answer's
	if r.Kept != nil {
		batches, size = r.Kept.Batches, r.Kept.Answers[0].Batch
	}
	pool := models.NamePool(list, c.Header.Workload, c.Board, batches)
	path := models.ModelOf(o.Paths, pool)
	if path == "" {
		return nil
	}
	m, err := models.Load(o, path)
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
		return nil
	}
	if !slices.Contains(m.Batches, size) {
		return nil
	}
	return outlook.New(c.Header.Workload.Name, m.At(size), m.Space)
}
