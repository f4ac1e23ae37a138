// Package savedanswers holds the questions to a board and their answers: searches with their campaigns, the answer that
// each one keeps, and better modes found since.
//
//	campaign folders ──► Question (head, parts) ──► Answer: kept, or computed from older folders
//	later readings   ──► Since: a mode that is better by now
package savedanswers

import (
	"errors"
	"time"

	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
)

// Head returns the campaign that keeps the answer of the search that c is part of; c itself if it is not part of one,
// or if the first campaign is missing.
func Head(list []campaigns.Campaign, c campaigns.Campaign) campaigns.Campaign {
	if of := c.Header.Plan.PartOf; of != "" {
		began, _ := time.Parse(time.RFC3339Nano, of)
		for _, one := range list {
			if one.Header.Plan.PartOf == "" && one.Header.Created.Equal(began) {
				return one
			}
		}
	}
	return c
}

// Answer returns what the search of a campaign found: the kept answer, or one computed from the rows of a folder of an
// earlier version; nil if there was no question, or the search was interrupted.
func Answer(c campaigns.Campaign) (*answers.Kept, error) {
	k, err := answers.Find(c.Dir)
	if k != nil || err != nil {
		return k, err
	}
	return answers.WorkedOut(*c.Header, c.Ended, c.Rows), nil
}

// Since returns the best mode in all data on the workload and board of a search, if it beats answer i of the search by
// more than the noise between two readings of one mode. list is oldest first. Under a load ok is false.
func Since(list []campaigns.Campaign, c campaigns.Campaign, k *answers.Kept, i int) (better tegra.Setting, ok bool) {
	a := k.Answers[i]
	if a.Served != nil || a.Reading.N == 0 {
		return better, false
	}
	pool := models.CollectPool(list, c.Header.Workload, c.Board, k.Batches)
	rows, _ := pool.Aligned()
	l := a.Limit
	if k.Batches != nil {
		l = l.Sized()
	}
	best, now := l.BestOf(rows), a.Reading.Measured
	for _, m := range tegra.MeansOf(rows) {
		if m.Mode == a.Mode && (m.Batch == a.Batch || pool.Batch > 0) {
			now = m.Measured
		}
	}
	switch {
	case best.N == 0 || best.Mode == a.Mode && (best.Batch == a.Batch || pool.Batch > 0):
		return better, false
	case l.Met(now) && !l.Better(best.Measured, slightly(now)):
		return better, false
	}
	return best.Setting, true
}

// noise is the relative difference between readings of one mode; a smaller improvement does not count.
const noise = 0.01

// slightly returns a reading improved by the noise.
func slightly(m tegra.Measured) tegra.Measured {
	m.TimeMS *= 1 - noise
	m.PowerW *= 1 - noise
	return m
}

// Find reads the answer of the search that a campaign is, or is part of; nil if there is none.
func Find(list []campaigns.Campaign, c campaigns.Campaign) (head campaigns.Campaign, k *answers.Kept, err error) {
	head = Head(list, c)
	k, err = Answer(head)
	return head, k, err
}

// ErrNone reports that a campaign has no answer.
var ErrNone = errors.New("no answer: it is not a search, or was cut off")
