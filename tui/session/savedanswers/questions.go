// Package savedanswers holds the questions to a board and their answers: searches with their campaigns, the answer that
// each one keeps, and better modes found since.
//
//	campaign folders ──► Question (head, parts) ──► Answer: kept, or computed from older folders
//	later readings   ──► Since: a mode that is better by now
package savedanswers

import (
	"errors"
	"iter"
	"slices"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
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

// Now returns the answers of a search as they are known now, with what was read of their settings since. list is oldest
// first.
func Now(list []campaigns.Campaign, c campaigns.Campaign, k *answers.Kept) []answers.Answer {
	out := slices.Clone(k.Answers)
	if !slices.ContainsFunc(list, func(later campaigns.Campaign) bool {
		return later.Pools() && later.Workload == c.Workload && later.Board == c.Board &&
			later.Header.Created.After(c.Header.Created) && Head(list, later).Dir != c.Dir
	}) {
		return out
	}
	for i, a := range out {
		_, all := pooled(list, c, k, a)
		out[i] = Renewed(a, all)
	}
	return out
}

// Renewed returns an answer with the mean of all readings of its setting, if there are more than its search had, and
// with what they say of its limit.
func Renewed(a answers.Answer, all tegra.Mean) answers.Answer {
	if a.Served != nil || a.Reading.N == 0 || all.N <= a.Reading.N {
		return a
	}
	all.Setting = a.Reading.Setting
	a.Reading = all
	a.Standing = standing.Stand(a.Limit, optimize.MeasuredPrediction(all.Measured), all.N)
	a.True, a.Chance = tegra.Val[learn.Prediction]{}, tegra.Val[float64]{}
	a.Alternative = tegra.Val[optimize.Believed]{}
	a.Compared()
	return a
}

// pooled returns the rows on the workload and board of a search, and the mean of those of an answer's setting.
func pooled(list []campaigns.Campaign, c campaigns.Campaign, k *answers.Kept, a answers.Answer) (rows []tegra.Measured,
	now tegra.Mean) {
	pool := models.CollectPool(list, c.Header.Workload, c.Board, k.Batches)
	rows, _ = pool.Aligned()
	for _, m := range tegra.MeansOf(rows) {
		if m.Setting == a.Setting {
			now = m
		}
	}
	return rows, now
}

// Since returns the best mode in all data on the workload and board of a search, if it beats answer i of the search by
// more than the noise between two readings of one mode. list is oldest first. Under a load ok is false.
func Since(list []campaigns.Campaign, c campaigns.Campaign, k *answers.Kept, i int) (better tegra.Setting, ok bool) {
	a := k.Answers[i]
	if a.Served != nil || a.Reading.N == 0 {
		return better, false
	}
	rows, all := pooled(list, c, k, a)
	l, now := a.Limit.Over(k.Batches), a.Reading.Measured
	if all.N > 0 {
		now = all.Measured
	}
	best := l.BestOf(rows)
	switch {
	case best.N == 0 || best.Setting == a.Setting:
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

// ErrNoBest reports that no search has found a mode.
var ErrNoBest = errors.New("no search has found a mode for this job on this board: tune it first")

// Bests yields the answers that keep their limits, of the newest search first; of a goal if one is given.
func Bests(list []campaigns.Campaign, goal metric.Question) iter.Seq2[campaigns.Campaign, answers.Answer] {
	return func(yield func(campaigns.Campaign, answers.Answer) bool) {
		for _, c := range slices.Backward(list) {
			_, k, err := Find(list, c)
			if err != nil || k == nil {
				continue
			}
			for i, a := range k.Answers {
				if a.Feasible && (goal == metric.Question{} || k.Goal(i) == goal) && !yield(c, a) {
					return
				}
			}
		}
	}
}
