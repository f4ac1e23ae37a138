package campaigns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/config"
)

// Campaign is a folder of measured modes. A list may have thousands: it holds what the index knows of each, and their
// rows stay in the folders.
type Campaign struct {
	Name   string // of the folder
	Dir    string
	Header *record.Header
	Facts
	Err error // the folder could not be read as a campaign

	kind
	rows []record.Row // as they were given; nil: in the folder
}

// Further returns rows of the campaign with the further quantities that a goal limits.
func (c *Campaign) Further(rows []record.Row, goals ...metric.Goal) []record.Row {
	for _, g := range goals {
		for _, b := range g.Limits.Further() {
			if !b.Slow {
				return record.WithFurther(c.Dir, rows, c.Header.Workload.Batch)
			}
		}
	}
	return rows
}

// Facts are what a folder shows besides its header, of which lists and pools decide without its rows.
type Facts struct {
	Ended    string   // as record.Ended
	Versions []string // as record.Versions
	Readings int      // rows
	Usable   int      // settings with a usable reading
	Failed   int      // settings without one
	Learned  int      // usable rows that may be pooled
	Sizes    []int    // batch sizes of the rows
	Answer   *answers.Brief
	// Verdict comes from a soak's file, or from the readings of a verification or of an answer; "": none.
	Verdict string

	settings, pooled []uint64 // as settingsOf; of all rows, and of those that may be pooled
}

// kind is what follows from the parts of a header that campaigns share.
type kind struct {
	Workload    string // fingerprint, without the versions of its framework
	Fingerprint string // with them
	Board       string // identity, see boardOf
}

func kindOf(h record.Header, versions []string) kind {
	return kind{h.Workload.Fingerprint(""), h.Workload.Fingerprint(record.Framework(versions)), boardOf(h.Device)}
}

// boardOf identifies the board of a campaign: module, L4T and host name; for a replay the content of its file; for a
// virtual board its name. Folders of older versions do not identify the unit: a board is assumed to be this host's; a
// replayed file is matched unless it has changed.
func boardOf(d record.DeviceHeader) string {
	if d.Which == "" {
		switch {
		case d.Replay != "":
		case d.Virtual:
			d.Which = session.VirtualName(d.Name)
		default:
			d.Which = session.HostName("/")
		}
	}
	return session.BoardIdentity(d)
}

// Of returns a campaign whose rows are known.
func Of(name, dir string, h record.Header, rows []record.Row) Campaign {
	c := Campaign{Name: name, Dir: dir, Header: &h, rows: rows}
	if rows == nil {
		c.rows = []record.Row{}
	}
	c.Ended, c.Versions = record.Ended(dir), record.Versions(dir)
	c.Readings, c.settings = len(rows), settingsOf(record.Modes(rows))
	c.Usable = len(settingsOf(tegra.SettingsOf(record.Usable(rows))))
	c.Failed = len(c.settings) - c.Usable
	learned := record.Usable(c.Pooled())
	c.Learned, c.pooled = len(learned), settingsOf(tegra.SettingsOf(learned))
	for _, r := range rows {
		if size := cmp.Or(r.Batch, h.Workload.Batch); !slices.Contains(c.Sizes, size) {
			c.Sizes = append(c.Sizes, size)
		}
	}
	c.kind = kindOf(h, c.Versions)
	return c
}

// settingsOf returns settings as sorted numbers, each once.
func settingsOf(list []tegra.Setting) []uint64 {
	out := make([]uint64, 0, len(list))
	for _, at := range list {
		h := fnv.New64a()
		values := at.Mode.Values()
		for _, v := range append(values[:], int64(at.Batch)) {
			_, _ = h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32)})
		}
		out = append(out, h.Sum64())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Rows returns the readings, those of the folder as they are now; nil if it cannot be read.
func (c Campaign) Rows() []record.Row {
	if c.rows != nil || c.Err != nil {
		return c.rows
	}
	rows, err := record.RowsOf(c.Dir)
	if err != nil {
		return nil
	}
	return rows
}

// List lists the campaigns of the data directory, oldest first. An unreadable folder is listed with its error.
func List(o config.Paths) ([]Campaign, error) { return CampaignsIn(o.CampaignsDir()) }

// OnBoard lists the readable campaigns that were measured on a board.
func OnBoard(o config.Paths, board string) ([]Campaign, error) {
	list, err := List(o)
	return slices.DeleteFunc(list, func(c Campaign) bool { return c.Err != nil || c.Board != board }), err
}

// aheadMost is how far a campaign may lie ahead of the clock, as one of another machine may.
const aheadMost = 24 * time.Hour

// CampaignsIn lists the campaigns of a folder, oldest first. Those that began in the future count as older than all
// others: one of a wrong clock would be the newest for years. A verification that was killed before its first reading
// is left out: its folder stays, but there is nothing to show, and nothing to resume.
func CampaignsIn(parent string) ([]Campaign, error) {
	dirs, err := folders(parent)
	if err != nil {
		return nil, err
	}
	out, now := throughIndex(parent, dirs), time.Now().Add(aheadMost)
	if slices.ContainsFunc(out, Campaign.unread) {
		finder := record.Finder{Parents: []string{parent}}
		held := finder.Held()
		out = slices.DeleteFunc(out, func(c Campaign) bool {
			return c.unread() && c.State(held) == CampaignInterrupted
		})
	}
	began := func(c Campaign) (passed int) {
		if !c.Header.Created.After(now) {
			passed = 1
		}
		return passed
	}
	sorted.Stable(out, func(a, b Campaign) int {
		return cmp.Or(began(a)-began(b), a.Header.Created.Compare(b.Header.Created))
	})
	return out, nil
}

// unread reports whether the campaign is a verification without a reading and without an end.
func (c Campaign) unread() bool {
	return c.Err == nil && c.Header.Plan.Kind == VerifyKind && c.Readings == 0 && c.Ended == ""
}

// ReadCampaignFolder reads a campaign with its rows.
func ReadCampaignFolder(dir string) Campaign {
	name := filepath.Base(dir)
	h, rows, err := record.Read(dir)
	if err != nil {
		return Campaign{Name: name, Dir: dir, Header: new(record.Header), Err: err}
	}
	c := Of(name, dir, h, rows)
	if h.Search != nil && h.Plan.PartOf == "" {
		k, err := answers.FindWithoutProbes(dir)
		if k == nil && err == nil {
			k = answers.WorkedOut(h, c.Ended, c.Rows)
		}
		c.Answer = k.Brief() // an unreadable file counts as no answer
		c.Verdict = string(k.Verdict())
	}
	switch {
	case h.Plan.Kind == RunKind && h.Plan.Source == SoakSource:
		c.Verdict = soakVerdict(dir)
	case h.Plan.Limit != nil && c.Usable > 0:
		c.Verdict = string(standing.VerdictOf(*h.Plan.Limit, record.Usable(rows)))
	}
	return c
}

// mostVerdict caps a file with a soak's result, in bytes.
const mostVerdict = 1 << 20

// soakVerdict returns the verdict in the folder of a soak; "" if it cannot be read.
func soakVerdict(dir string) string {
	var out struct{ Verdict string }
	data, err := safefile.Read(filepath.Join(dir, SoakResult), mostVerdict)
	if err != nil || json.Unmarshal(data, &out) != nil {
		return ""
	}
	return text.Clip(out.Verdict)
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
	switch {
	case slices.ContainsFunc(held, func(r record.Running) bool { return SameFolder(r.Dir, c.Dir) }):
		return CampaignRunning
	case c.Ended == "complete", c.Ended == "" && plan.Kind == TuneKind && c.Header.Search == nil,
		c.Ended == "" && c.Readings > 0 && c.Readings >= plan.Readings() && plan.Kind != TuneKind:
		return CampaignFinished
	}
	return CampaignInterrupted
}

// Held lists the campaign folders of the data directory that processes hold.
func Held(o config.Paths) []record.Running {
	finder := record.Finder{Parents: []string{o.CampaignsDir()}}
	return finder.Held()
}

// Modes counts the settings that were measured, usable or not.
func (c *Campaign) Modes() int { return len(c.settings) }

// ModesWith counts the settings that were measured by the campaign or by others, each once.
func (c *Campaign) ModesWith(others []Campaign) int {
	all := slices.Clone(c.settings)
	for _, o := range others {
		all = append(all, o.settings...)
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

// Settings returns the measured settings, usable or not, each once and in order.
func (c Campaign) Settings() []tegra.Setting { return record.Modes(c.Rows()) }

// What describes what the campaign measures.
func (c *Campaign) What() string { return PlanText(c.Header.Plan, c.Header.Search) }

// Strategy returns the strategy of a search; "" if the plan lists its modes.
func (c *Campaign) Strategy() string {
	switch search := c.Header.Search; {
	case search != nil && search.Coverage == CoverFront:
		return "front"
	case search != nil:
		return search.Strategy
	}
	return ""
}

// Pools reports whether rows of the campaign may be pooled with those of others.
func (c *Campaign) Pools() bool { return c.Err == nil && c.Learned > 0 }

// Pooled returns the rows that may be pooled: without runs that differ in more than the setting, and without free
// clocks. From an energy study these are its clock pairs, not its baselines and other jobs.
func (c *Campaign) Pooled() []record.Row {
	switch kind := c.Header.Plan.Kind; {
	case c.Err != nil, c.Ended == record.Withdrawn, kind == record.ImportKind, c.Header.Settings.DVFS,
		c.Header.Settings.Requests > 0 && !c.Header.Workload.Serves(): // batches of any size, idle time included
		return nil
	case OfEnergy(c.Header.Plan):
		return ClockPairs(*c.Header, c.Rows())
	case kind == record.ExperimentKind:
		return nil
	}
	return c.Rows()
}

// MostOfSetting is how many readings of a setting count, the newest: a model or a search that knows these learns
// nothing from a thousand earlier ones, which would cost it more with each night.
const MostOfSetting = 32

// Newest returns those of a list, oldest first, that may hold one of the MostOfSetting newest readings of a setting:
// the rows of the others need not be read.
func Newest(list []Campaign) []Campaign {
	count, out := map[uint64]int{}, []Campaign(nil)
	for _, c := range slices.Backward(list) {
		needed := false
		for _, at := range c.pooled {
			needed = needed || count[at] < MostOfSetting
			count[at]++
		}
		if needed {
			out = append(out, c)
		}
	}
	slices.Reverse(out)
	return out
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

// Started returns when the campaign was created.
func (c *Campaign) Started() time.Time { return c.Header.Created.UTC() }

// OfDevice names a device, and says so if its numbers are not measurements.
func OfDevice(name string, virtual bool) string {
	name = cmp.Or(name, "–")
	if virtual {
		return name + " (virtual)"
	}
	return name
}
