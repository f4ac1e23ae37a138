package campaigns

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	indexFormat = 8
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

// shared holds what campaigns have in common, each once.
type shared struct {
	mu       sync.Mutex
	heads    map[string]*sharedHead
	settings map[uint64][]uint64
}

type sharedHead struct {
	head
	header record.Header
	kind
}

// headOf returns the shared parts of a header.
func (s *shared) headOf(h record.Header, versions []string) *sharedHead {
	h.Created, h.Seed, h.Plan, h.Search = time.Time{}, 0, record.PlanHeader{}, nil
	text, err := h.Text()
	if err != nil {
		return nil
	}
	return s.head(head{string(text), versions})
}

// head returns the head of a text; nil if it is none.
func (s *shared) head(of head) *sharedHead {
	key := of.Text + strings.Join(of.Versions, "\n")
	s.mu.Lock()
	known, ok := s.heads[key]
	s.mu.Unlock()
	if ok {
		return known
	}
	if h, err := record.ParseHeader(indexName, []byte(of.Text)); err == nil {
		known = &sharedHead{of, h, kindOf(h, of.Versions)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads[key] = known
	return known
}

// share replaces what a campaign has in common with others by what they have.
func (s *shared) share(c *Campaign) *sharedHead {
	c.rows = nil
	if c.Err != nil {
		return nil
	}
	h := s.headOf(*c.Header, c.Versions)
	if h == nil {
		return nil
	}
	c.take(h, *c.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range []*[]uint64{&c.settings, &c.pooled} {
		key := sumOf(*list)
		if _, ok := s.settings[key]; !ok {
			s.settings[key] = *list
		}
		*list = s.settings[key]
	}
	return h
}

// sumOf identifies a list.
func sumOf(list []uint64) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, list)
	return h.Sum64()
}

// take sets the header and what follows from it; own is what differs in each campaign.
func (c *Campaign) take(h *sharedHead, own record.Header) {
	*c.Header, c.Versions, c.kind = h.header, h.Versions, h.kind
	c.Header.Created, c.Header.Seed, c.Header.Plan, c.Header.Search = own.Created, own.Seed, own.Plan, own.Search
}

// throughIndex returns the campaigns of folders in one folder, in their order.
func throughIndex(parent string, dirs []string) []Campaign {
	known, with := readIndex(parent)
	type stamped struct {
		Campaign
		stamp string // "": do not cache
		head  *sharedHead
		fresh bool // not in the index yet
	}
	began := time.Now()
	all := parallel(dirs, func(dir string) stamped {
		stamp, changed := record.Stamp(dir)
		if k, ok := known[filepath.Base(dir)]; ok && k.stamp == stamp {
			k.Campaign.Dir = dir
			return stamped{k.Campaign, stamp, k.head, false}
		}
		c := readFolder(dir)
		h := with.share(&c)
		if h == nil || began.Sub(changed) < settled {
			stamp = ""
		}
		return stamped{c, stamp, h, stamp != ""}
	})
	out := make([]Campaign, len(all))
	for i, s := range all {
		out[i] = s.Campaign
	}
	if fresh := slices.ContainsFunc(all, func(s stamped) bool { return s.fresh }); !fresh || len(all) < indexFrom {
		return out
	}
	x, heads, lists := index{Format: indexFormat, Version: session.Version}, map[*sharedHead]int{}, map[*uint64]int{}
	questions := map[string]int{}
	place := func(list []uint64) int {
		if len(list) == 0 {
			return -1
		}
		at, ok := lists[&list[0]]
		if !ok {
			at = len(x.Settings)
			lists[&list[0]], x.Settings = at, append(x.Settings, list)
		}
		return at
	}
	for _, s := range all {
		if s.stamp == "" {
			continue
		}
		at, ok := heads[s.head]
		if !ok {
			at = len(x.Heads)
			heads[s.head], x.Heads = at, append(x.Heads, s.head.head)
		}
		h, facts := s.Header, s.Facts
		facts.Versions = nil
		of := asked{Search: h.Search}
		if facts.Answer != nil {
			brief := *facts.Answer
			of.Answer, brief.Goal, facts.Answer = brief.Goal, metric.Question{}, &brief
		}
		key := of.key()
		question, ok := questions[key]
		if !ok {
			question = len(x.Asked)
			questions[key], x.Asked = question, append(x.Asked, of)
		}
		x.Entries = append(x.Entries, entry{s.Name, s.stamp, at, question, h.Created, h.Seed, h.Plan, facts,
			place(s.settings), place(s.pooled)})
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(x) == nil { // if it cannot be written, a list only takes longer
		_ = safefile.Replace(filepath.Join(parent, indexName), b.Bytes())
	}
	return out
}

// key identifies a question.
func (a asked) key() string {
	var b strings.Builder
	_ = gob.NewEncoder(&b).Encode(a)
	return b.String()
}

var readFolder = ReadCampaignFolder // a test counts the folders

// indexed is a campaign of the index.
type indexed struct {
	Campaign
	stamp string
	head  *sharedHead
}

// lastRead is the index that was read last: a command lists more than once, the screens again and again.
var lastRead struct {
	sync.Mutex
	parent string
	at     time.Time
	known  map[string]indexed
	with   *shared
}

// readIndex reads the index of a folder, by campaign name; none if another version wrote it, or if it is damaged.
func readIndex(parent string) (map[string]indexed, *shared) {
	lastRead.Lock()
	defer lastRead.Unlock()
	at := safefile.Modified(filepath.Join(parent, indexName))
	if l := &lastRead; l.parent != parent || !l.at.Equal(at) || at.IsZero() {
		l.parent, l.at = parent, at
		l.known, l.with = decodeIndex(parent)
	}
	return lastRead.known, lastRead.with
}

func decodeIndex(parent string) (map[string]indexed, *shared) {
	with := &shared{heads: map[string]*sharedHead{}, settings: map[uint64][]uint64{}}
	data, err := safefile.Read(filepath.Join(parent, indexName), mostIndex)
	var x index
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&x) != nil || x.Format != indexFormat ||
		x.Version != session.Version {
		return nil, with
	}
	known := make(map[string]indexed, len(x.Entries))
	heads := make([]*sharedHead, len(x.Heads))
	for i, h := range x.Heads {
		heads[i] = with.head(h)
	}
	for _, list := range x.Settings {
		with.settings[sumOf(list)] = list
	}
	at := func(i int) []uint64 {
		if i < 0 || i >= len(x.Settings) {
			return nil
		}
		return x.Settings[i]
	}
	headers := make([]record.Header, len(x.Entries))
	for i, e := range x.Entries {
		if e.Head < 0 || e.Head >= len(heads) || heads[e.Head] == nil || e.Asked < 0 || e.Asked >= len(x.Asked) {
			continue
		}
		of := x.Asked[e.Asked]
		if e.Facts.Answer != nil {
			e.Facts.Answer.Goal = of.Answer
		}
		c := Campaign{Name: e.Name, Header: &headers[i], Facts: e.Facts}
		c.settings, c.pooled = at(e.Measured), at(e.Pooled)
		c.take(heads[e.Head], record.Header{Created: e.Created, Seed: e.Seed, Plan: e.Plan, Search: of.Search})
		known[e.Name] = indexed{c, e.Stamp, heads[e.Head]}
	}
	return known, with
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
