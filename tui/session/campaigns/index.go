package campaigns

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"jtune/internal/safefile"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session"
)

// The index caches what a list needs of a folder's campaigns, so that only those that have changed are read.
//
//	folder/.index ──► entries with stamps ──► stamp as now? ──► list
//	folder/NAME/… ──► read where not ───────────────────────────┘ └──► folder/.index
const (
	indexName   = ".index"
	indexFormat = 9
	indexFrom   = 4        // campaigns: fewer are read as fast
	mostIndex   = 64 << 20 // bytes
	// A file written this recently may change again without a new modification time.
	settled = 2 * time.Second
)

// index is the file, a gob. It holds once what campaigns share.
type index struct {
	Format   int
	Version  string // of jtune
	Heads    []head
	Asked    []asked
	Settings [][]uint64 // as settingsOf
	Entries  []entry

	at map[string]int // where a shared value is, by its text
}

// head is a campaign.toml without what differs in each campaign, and the software that its runs report.
type head struct {
	Text     string
	Versions []string
}

// asked is the question of a search. Its goals are parsed once for all campaigns with the same question.
type asked struct {
	Search *record.SearchHeader
	Answer metric.Question // of the answer in brief
}

// entry is a campaign of the index.
type entry struct {
	Name, Stamp      string
	Head             int // in Heads
	Asked            int // in Asked
	Created          time.Time
	Seed             uint64
	Plan             record.PlanHeader
	Facts            Facts // but for versions and the goal of the answer
	Measured, Pooled int   // in Settings
}

// place returns where a list of the index has a value, which it adds if it is not there yet.
func place[T any](x *index, list *[]T, text string, v T) int {
	key := fmt.Sprintf("%T %s", v, text)
	i, known := x.at[key]
	if !known {
		i = len(*list)
		x.at[key], *list = i, append(*list, v)
	}
	return i
}

// add adds a campaign.
func (x *index) add(c indexed) {
	own, facts := *c.Header, c.Facts
	common := own
	common.Created, common.Seed, common.Plan, common.Search = time.Time{}, 0, record.PlanHeader{}, nil
	text, err := common.Text()
	if err != nil {
		return
	}
	of := asked{Search: own.Search}
	facts.Versions = nil
	if facts.Answer != nil {
		brief := *facts.Answer
		of.Answer, brief.Goal, facts.Answer = brief.Goal, metric.Question{}, &brief
	}
	settings := func(list []uint64) int { return place(x, &x.Settings, fmt.Sprint(list), list) }
	x.Entries = append(x.Entries, entry{c.Name, c.stamp,
		place(x, &x.Heads, string(text)+strings.Join(c.Versions, "\n"), head{string(text), c.Versions}),
		place(x, &x.Asked, of.text(), of), own.Created, own.Seed, own.Plan, facts, settings(c.settings),
		settings(c.pooled)})
}

// text identifies a question.
func (a asked) text() string {
	var b strings.Builder
	_ = gob.NewEncoder(&b).Encode(a)
	return b.String()
}

// indexed is a campaign of the index.
type indexed struct {
	Campaign
	stamp string // of its folder then; "": do not cache
}

// campaigns returns the campaigns by name, without those whose parts are missing.
func (x *index) campaigns() map[string]indexed {
	heads, kinds := make([]record.Header, len(x.Heads)), make([]kind, len(x.Heads))
	for i, h := range x.Heads {
		if header, err := record.ParseHeader(indexName, []byte(h.Text)); err == nil {
			heads[i], kinds[i] = header, kindOf(header, h.Versions)
		}
	}
	within := func(i, n int) bool { return i >= 0 && i < n }
	known, headers := make(map[string]indexed, len(x.Entries)), make([]record.Header, len(x.Entries))
	for i, e := range x.Entries {
		if !within(e.Head, len(heads)) || heads[e.Head].Format == 0 || !within(e.Asked, len(x.Asked)) ||
			!within(e.Measured, len(x.Settings)) || !within(e.Pooled, len(x.Settings)) {
			continue
		}
		h, of := &headers[i], x.Asked[e.Asked]
		*h = heads[e.Head]
		h.Created, h.Seed, h.Plan, h.Search = e.Created, e.Seed, e.Plan, of.Search
		if e.Facts.Answer != nil {
			e.Facts.Answer.Goal = of.Answer
		}
		c := Campaign{Name: e.Name, Header: h, Facts: e.Facts, kind: kinds[e.Head]}
		c.Versions, c.settings, c.pooled = x.Heads[e.Head].Versions, x.Settings[e.Measured], x.Settings[e.Pooled]
		known[e.Name] = indexed{c, e.Stamp}
	}
	return known
}

// throughIndex returns the campaigns of folders in one folder, in their order.
func throughIndex(parent string, dirs []string) []Campaign {
	known, began := readIndex(parent), time.Now()
	var fresh atomic.Bool // a campaign is not in the index yet
	all := parallel(dirs, func(dir string) indexed {
		stamp, changed := record.Stamp(dir)
		if k, ok := known[filepath.Base(dir)]; ok && k.stamp == stamp {
			k.Campaign.Dir = dir
			return k
		}
		c := indexed{readFolder(dir), stamp}
		if c.rows = nil; c.Err != nil || began.Sub(changed) < settled {
			c.stamp = ""
			return c
		}
		fresh.Store(true)
		return c
	})
	if fresh.Load() && len(all) >= indexFrom {
		x := index{Format: indexFormat, Version: session.Version, at: map[string]int{}}
		for _, c := range all {
			if c.stamp != "" {
				x.add(c)
			}
		}
		var b bytes.Buffer
		if gob.NewEncoder(&b).Encode(x) == nil { // if it cannot be written, a list only takes longer
			_ = safefile.Replace(filepath.Join(parent, indexName), b.Bytes())
		}
		known = x.campaigns()
	}
	out := make([]Campaign, len(all))
	for i, c := range all {
		if k, ok := known[c.Name]; ok && c.stamp != "" { // which shares what others have too
			k.Dir = c.Dir
			c = k
		}
		out[i] = c.Campaign
	}
	return out
}

var readFolder = ReadCampaignFolder // a test counts the folders

// lastRead is the index that was read last: a command lists more than once, the screens again and again.
var lastRead struct {
	sync.Mutex
	parent string
	at     time.Time
	known  map[string]indexed
}

// readIndex reads the index of a folder, by campaign name; none if another version wrote it, or if it is damaged.
func readIndex(parent string) map[string]indexed {
	lastRead.Lock()
	defer lastRead.Unlock()
	at := safefile.Modified(filepath.Join(parent, indexName))
	if l := &lastRead; l.parent != parent || !l.at.Equal(at) || at.IsZero() {
		l.parent, l.at, l.known = parent, at, decodeIndex(parent)
	}
	return lastRead.known
}

func decodeIndex(parent string) map[string]indexed {
	data, err := safefile.Read(filepath.Join(parent, indexName), mostIndex)
	var x index
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&x) != nil || x.Format != indexFormat ||
		x.Version != session.Version {
		return nil
	}
	return x.campaigns()
}

// folders lists the folders in a folder; none if it does not exist.
func folders(parent string) (dirs []string, err error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("campaigns: %w", err)
	}
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if is := e.IsDir(); is || e.Type()&fs.ModeSymlink != 0 && isDir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// parallel calls of for each item concurrently and returns the results in order.
func parallel[T any](list []string, of func(string) T) []T {
	out := make([]T, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				out[i] = of(list[i])
			}
		})
	}
	all.Wait()
	return out
}
