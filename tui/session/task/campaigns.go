package task

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/savedanswers"
)

// Campaigns are the campaign folders that concern one board: those of a data directory, and those that processes are
// running anywhere.
type Campaigns struct {
	Dir   string // of the folders
	Board tegra.Board
	Seed  uint64 // of this program: the modes of a plan depend on it
	// Own returns the user's own or built-in workload that a folder's file refers to; if they differ, the file's
	// workload and a description of the differences.
	Own func(there workload.Workload) (w workload.Workload, differs string)
	// Held lists the campaigns that processes are running, including this one's; nil: unknown.
	Held func() []record.Running
}

// CampaignsOf returns the campaigns of this session's board and data directory.
func CampaignsOf(s *session.Session) Campaigns {
	return Campaigns{s.CampaignsDir(), s.Device.Board(), s.Seed, func(there workload.Workload) (workload.Workload,
		string) {
		return ownWorkload(s, there)
	}, s.Finder().Held}
}

// Listed is a campaign of this board for lists.
type Listed struct {
	campaigns.Campaign
	State campaigns.CampaignState
	PID   int // of the process that runs it; 0: none
	// Again resumes the campaign or repeats its failed modes. NoResume and NoRedo say why one of these is not possible;
	// "" if it is.
	Again            *Interrupted
	NoResume, NoRedo string
	Answer           *answers.Brief // of its search; nil without one, and while it runs
	Part             string         // folder of the campaign that started its search, if that is another one; else ""
}

// Nothing stands where there is no campaign.
var Nothing = Listed{Campaign: campaigns.Campaign{Header: new(record.Header)}}

// List lists the campaigns of this board, newest first: those of the data directory, and campaigns elsewhere that are
// running on this very board. A virtual board belongs to its process alone.
func (c *Campaigns) List() ([]Listed, error) {
	all, err := campaigns.CampaignsIn(c.Dir)
	held := c.holding()
	for _, r := range held {
		elsewhere := !slices.ContainsFunc(all, func(at campaigns.Campaign) bool {
			return campaigns.SameFolder(at.Dir,
				r.Dir)
		})
		if elsewhere && !c.Board.Simulated() {
			all = append(all, campaigns.ReadCampaignFolder(r.Dir))
		}
	}
	var out []Listed
	for _, at := range slices.Backward(all) {
		if at.Err == nil && c.Here(at.Header.Device) {
			l := c.listed(at, held)
			if head := savedanswers.Head(all, at); head.Dir != at.Dir {
				l.Part = head.Dir
			} else if l.State != campaigns.CampaignRunning {
				l.Answer = at.Answer
			}
			out = append(out, l)
		}
	}
	return out, err
}

// Listing is the campaigns of this board and those that can be restored, newest first.
type Listing struct {
	List, Deleted []Listed
	Changed       time.Time // when these last changed
	Err           error
}

// Listing reads both.
func (c *Campaigns) Listing() Listing {
	l := Listing{Changed: c.Changed()}
	var err error
	l.List, l.Err = c.List()
	l.Deleted, err = c.deletedList()
	l.Err = errors.Join(l.Err, err)
	return l
}

// deletedList lists the campaigns of this board that can be restored, newest first.
func (c *Campaigns) deletedList() ([]Listed, error) {
	all, err := campaigns.CampaignsIn(filepath.Join(filepath.Dir(c.Dir), campaigns.DeletedKind,
		campaigns.CampaignsKind))
	var out []Listed
	for _, at := range slices.Backward(all) {
		if at.Err == nil && c.Here(at.Header.Device) {
			out = append(out, Listed{Campaign: at, State: at.State(nil), NoResume: isDeleted, NoRedo: isDeleted})
		}
	}
	return out, err
}

// broken is the end of a campaign that the job, the device or the record stopped.
var broken = profiles.Broken.String()

const isDeleted = "deleted: restore it first"

// listed returns a campaign with what can be done with it.
func (c *Campaigns) listed(at campaigns.Campaign, held []record.Running) Listed {
	l := Listed{Campaign: at, State: at.State(held)}
	for _, r := range held {
		if campaigns.SameFolder(r.Dir, at.Dir) {
			l.PID = r.PID
		}
	}
	h, bad := at.Header, ""
	if l.State == campaigns.CampaignFinished && at.Failed == 0 {
		l.NoResume, l.NoRedo = "it is finished", "none failed"
		return l
	}
	l.Again, bad = c.again(at)
	switch kind := h.Plan.Kind; {
	case l.State == campaigns.CampaignRunning:
		l.NoResume = "it runs"
	case kind == record.ExperimentKind && l.State != campaigns.CampaignFinished:
		l.NoResume = experimentCommand(*h) + " resumes it in its folder"
	case l.State == campaigns.CampaignFinished:
		l.NoResume = "it is finished"
	case bad != "":
		l.NoResume = bad
	case l.Again.Soak != nil && at.Ended == broken:
		l.NoResume = "it could not be run"
	case l.Again.Soak != nil: // its samples do not depend on a seed
	case l.Again.Profile == nil && l.Again.Tune == nil:
		l.NoResume = "a " + kind + " cannot be resumed"
	case h.Seed != c.Seed && l.Again.Tune == nil:
		l.NoResume = fmt.Sprintf("its seed is %d: start jtune with that seed", h.Seed)
	}
	switch {
	case l.State == campaigns.CampaignRunning:
		l.NoRedo = "it runs"
	case at.Failed == 0:
		l.NoRedo = "none failed"
	case h.Plan.Kind == record.ExperimentKind:
		l.NoRedo = experimentCommand(*h) + " measures them where it resumes in its folder"
	case bad != "":
		l.NoRedo = bad
	case h.Seed != c.Seed && l.Again.Profile != nil:
		l.NoRedo = fmt.Sprintf("its seed is %d: start jtune with that seed", h.Seed)
	}
	return l
}

// experimentCommand returns the command that ran the experiment of a campaign.
func experimentCommand(h record.Header) string {
	return cmp.Or(map[string]string{record.PairKind: "jtune lab pair …"}[h.Plan.Source],
		"jtune lab experiment "+h.Plan.Source)
}

// Interrupted is a campaign that can be resumed: its measurements are on disk.
type Interrupted struct {
	Dir      string
	Workload workload.Workload
	// Differs describes how the folder's file differs from the user's own workload; "" if they are the same. A file
	// alone never decides what is run: the user must see this and agree.
	Differs string
	Of      int // number of modes to measure; 0: as many as a search needs
	plan    record.PlanHeader
	From    campaigns.Campaign
	Request // none where the campaign cannot be resumed
}

func (u *Interrupted) String() string {
	switch {
	case u.Soak != nil:
		return "soak of " + u.Workload.Name
	case u.Tune != nil:
		return fmt.Sprintf("search of %s (%s), %s measured", u.Workload.Name, u.Tune.First().Words(),
			text.Count(u.From.Modes(), "mode"))
	}
	return fmt.Sprintf("%d of %d measured with %s (%s)", u.From.Readings, u.Of, u.Workload.Name,
		campaigns.PlanText(u.plan, nil))
}

// Interrupted finds the newest interrupted campaign of this board that can be resumed; nil if there is none.
func (c Campaigns) Interrupted() *Interrupted {
	list, _ := c.List()
	return Offered(list)
}

// Offered returns the newest interrupted campaign in a list that can be resumed; nil if there is none. A search for a
// limit restarts in a new campaign, so it is not offered if a later search of its workload has replaced it. A campaign
// without any mode is offered unless it failed.
func Offered(list []Listed) *Interrupted {
	later := map[string]bool{} // searches for a limit, by workload
	for _, l := range list {
		name := l.Header.Workload.Name
		toLimit := l.Header.Plan.Kind == campaigns.TuneKind && l.Header.Search != nil
		switch {
		case toLimit && later[name], l.Readings == 0 && (l.NoResume != "" || l.Ended == broken):
			continue
		case l.State == campaigns.CampaignInterrupted && l.NoResume == "":
			return l.Again
		}
		later[name] = later[name] || toLimit
	}
	return nil
}

// again returns how a campaign can be resumed; bad says why it cannot, or "".
func (c *Campaigns) again(at campaigns.Campaign) (u *Interrupted, bad string) {
	h := at.Header
	w, differs := c.Own(h.Workload)
	u = &Interrupted{Dir: at.Dir, Workload: w, Differs: differs, From: at, plan: h.Plan}
	var err error
	u.Request, err = asked(at, func(workload.Workload) (workload.Workload, error) { return w, nil })
	switch kind := h.Plan.Kind; {
	case err != nil:
		return u, err.Error()
	case kind == "list" && h.Plan.Listed == nil:
		return u, "it does not keep its list: jtune lab profile resumes it in its folder with that list"
	case kind == campaigns.VerifyKind:
		u.Profile = nil
	case u.Tune != nil && kind == campaigns.ModesKind: // of an older jtune
		u.Tune.Probes = h.Plan.Modes
	case u.Profile != nil:
		u.Profile.Dir, u.Profile.Resume, u.Profile.Settings = at.Dir, true, record.Settings{}
		u.Of = h.Plan.Readings()
	}
	return u, ""
}

// Task resumes the campaign; l is the limit for a search that had none. A search restarts from everything known of the
// workload, including its own rows, or from nothing if that was its setting. trust is the user's answer to
// Differs.
func (u *Interrupted) Task(l metric.Goal, trust bool) *Task {
	u.mustTrust(trust)
	switch {
	case u.Soak != nil:
		return Soak(*u.Soak)
	case u.Profile != nil:
		return Profile(*u.Profile, u.plan, u.From.Rows())
	}
	r := *u.Tune
	if r.First() == (metric.Question{}) {
		r.Limits = []metric.Goal{l}
	}
	return Tune(r)
}

// Redo repeats the failed modes of the campaign: in its folder if it is a plan of modes, else in a new campaign. trust
// is the user's answer to Differs.
func (u *Interrupted) Redo(trust bool) *Task {
	u.mustTrust(trust)
	if u.Profile == nil {
		return Redo(Spec{Workload: u.Workload}, Snapshot{Rows: u.From.Rows()})
	}
	r := *u.Profile
	r.RedoFailed = true
	return Profile(r, u.plan, u.From.Rows())
}

func (u *Interrupted) mustTrust(trust bool) {
	if u.Differs != "" && !trust {
		panic("session: a folder's workload without the user's word")
	}
}

// Failed lists the settings without a usable row, each once.
func Failed(rows []record.Row) []tegra.Setting {
	good := map[tegra.Setting]bool{}
	for _, m := range record.Usable(rows) {
		good[m.Setting] = true
	}
	return slices.DeleteFunc(record.Modes(rows), func(at tegra.Setting) bool { return good[at] })
}

// ModelsChanged returns when a model of the data directory was last saved, renamed or deleted; zero if there is none.
func (c *Campaigns) ModelsChanged() time.Time {
	return safefile.Modified(filepath.Join(filepath.Dir(c.Dir), campaigns.ModelsKind))
}

// Changed returns when a campaign of the data directory was last created, removed or renamed; zero if there is none.
func (c *Campaigns) Changed() time.Time {
	at, aside := safefile.Modified(c.Dir), safefile.Modified(filepath.Join(filepath.Dir(c.Dir), campaigns.DeletedKind,
		campaigns.CampaignsKind))
	if aside.After(at) {
		return aside
	}
	return at
}

// holding lists the campaigns that processes are running.
func (c Campaigns) holding() []record.Running {
	if c.Held == nil {
		return nil
	}
	return c.Held()
}

// Running lists the campaigns that other processes are running.
func (c *Campaigns) Running() []record.Running {
	return slices.DeleteFunc(c.holding(), func(r record.Running) bool { return r.PID == os.Getpid() })
}

// Here reports whether a campaign measured a board like this one.
func (c *Campaigns) Here(d record.DeviceHeader) bool {
	return d.Name == c.Board.Name && d.Virtual == c.Board.Virtual && d.Replay == c.Board.Replay
}
