// Package claims checks the take-aways of the papers: each sentence by one predicate over named results.
//
//	claims.csv ──► Claim (conditions) ──► Ledger, Judge (results of fidelity and reproduce) ──► Judged: pass, fail or
//	                                                                                          not testable here
package claims

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"jtune/internal/conclusion"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
	"jtune/tui/session/lab/reproduce"
)

// Claim is a take-away of a paper, which holds if all its conditions do.
type Claim struct {
	ID         string
	Study      string // see evidence.Studies
	Where      string
	Sentence   string
	Conditions []Condition
}

// Condition compares every value of the results that its left side names with a bound, or with every value of another
// result. A name may have the wildcard *.
type Condition struct {
	Text   string // "|s2-storage-small-data-gain| < 10"
	left   string
	size   bool // of the left side's values
	op     string
	factor float64
	right  string // "": factor is the bound
}

// parse reads "NAME OP NUMBER", "|NAME| OP NUMBER" or "NAME OP NUMBER*NAME".
func parse(text string) (c Condition, err error) {
	words := strings.Fields(text)
	if len(words) != 3 || !slices.Contains([]string{"<", "<=", ">", ">="}, words[1]) {
		return c, fmt.Errorf("%q is no condition", text)
	}
	c = Condition{Text: strings.Join(words, " "), left: strings.Trim(words[0], "|"), op: words[1]}
	c.size = c.left != words[0]
	number, name, _ := strings.Cut(words[2], "*")
	c.right = name
	c.factor, err = strconv.ParseFloat(number, 64)
	return c, err
}

// holds compares two values.
func (c *Condition) holds(left, right float64) bool {
	if c.size {
		left = math.Abs(left)
	}
	switch right *= c.factor; c.op {
	case "<":
		return left < right
	case "<=":
		return left <= right
	case ">":
		return left > right
	}
	return left >= right
}

// names returns the results that the condition names.
func (c *Condition) names() []string {
	if c.right == "" {
		return []string{c.left}
	}
	return []string{c.left, c.right}
}

//go:embed claims.csv
var claimsCSV string

// Claims returns the take-aways of all papers.
var Claims = sync.OnceValue(func() (out []Claim) {
	rows, err := csv.NewReader(strings.NewReader(claimsCSV)).ReadAll()
	if err != nil {
		panic("claims: claims.csv: " + err.Error())
	}
	for _, r := range rows[1:] {
		c := Claim{ID: r[0], Study: r[1], Where: r[2], Sentence: r[3]}
		for text := range strings.SplitSeq(r[4], ";") {
			condition, err := parse(text)
			if err != nil {
				panic("claims: " + c.ID + ": " + err.Error())
			}
			c.Conditions = append(c.Conditions, condition)
		}
		out = append(out, c)
	}
	return out
})

// Outcome is the result for a claim.
type Outcome string

// Outcomes. A claim passes if every condition holds for every value; without a value for one it is not testable.
const (
	Pass        Outcome = "pass"
	Fail        Outcome = "fail"
	NotTestable Outcome = "not testable here"
)

// decide judges a claim by the values of each name; failed lists the conditions that do not hold.
func (c *Claim) decide(values func(name string) []float64) (outcome Outcome, failed []string) {
	for _, k := range c.Conditions {
		left, right := values(k.left), []float64{1}
		if k.right != "" {
			right = values(k.right)
		}
		if len(left) == 0 || len(right) == 0 {
			return NotTestable, nil
		}
		if slices.ContainsFunc(left, func(l float64) bool {
			return slices.ContainsFunc(right, func(r float64) bool { return !k.holds(l, r) })
		}) {
			failed = append(failed, k.Text)
		}
	}
	if failed != nil {
		return Fail, failed
	}
	return Pass, nil
}

// Evidence is a result that a condition names.
type Evidence struct {
	ID        string           `json:"id"`
	Published float64          `json:"published"`
	Own       []float64        `json:"own"`
	Unit      string           `json:"unit"`
	Verdict   evidence.Verdict `json:"verdict"`
	Relation  string           `json:"relation"` // of the published value
	Most      float64          `json:"published_max"`
	Side      string           `json:"side"` // better or worse, for a missed figure; "" if neither applies

	figure evidence.Figure
}

// Figure returns the published figure.
func (e *Evidence) Figure() evidence.Figure { return e.figure }

// Judged is a claim with its evidence.
type Judged struct {
	Claim
	Outcome   Outcome
	Failed    []string // conditions that do not hold
	Simulated bool
	Evidence  []Evidence
}

// Holding returns how many conditions hold.
func (j *Judged) Holding() int {
	if j.Outcome == NotTestable {
		return 0
	}
	return len(j.Conditions) - len(j.Failed)
}

// cites reports whether a condition names a result.
func (c *Claim) cites(id string) bool {
	return slices.ContainsFunc(c.Conditions, func(k Condition) bool {
		return slices.ContainsFunc(k.names(), func(name string) bool { return matches(name, id) })
	})
}

func matches(name, id string) bool {
	ok, err := path.Match(name, id)
	return ok && err == nil
}

// Ledger judges all claims by the figures of the studies and of the virtual boards.
func Ledger(ctx context.Context, o reproduce.Options) (out []Judged, err error) {
	o.Studies = nil
	for _, f := range reproduce.Figures() {
		cited := func(c Claim) bool { return c.cites(f.ID) }
		if slices.ContainsFunc(Claims(), cited) && !slices.Contains(o.Studies, f.Group) {
			o.Studies = append(o.Studies, f.Group)
		}
	}
	reports, err := reproduce.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	return Judge(ctx, reports, o.Seed)
}

// Judge judges all claims by completed studies and the figures of the virtual boards.
func Judge(ctx context.Context, reports []reproduce.Report, seed uint64) (out []Judged, err error) {
	all, err := fidelity.Evaluate(ctx, fidelity.Figures(), seed)
	if err != nil {
		return nil, err
	}
	for _, r := range reports {
		all = append(all, r.Results...)
	}
	for _, c := range Claims() {
		out = append(out, c.judge(all))
	}
	return out, nil
}

// judge judges a claim by the results that it names.
func (c *Claim) judge(results []evidence.Result) Judged {
	j := Judged{Claim: *c}
	for _, r := range results {
		if c.cites(r.ID) && len(r.Values) > 0 {
			j.Evidence = append(j.Evidence, Evidence{r.ID, r.Value, r.Values, r.Unit, r.Verdict, r.Relation, r.Most,
				r.Side(), r.Figure})
			j.Simulated = j.Simulated || r.Simulated
		}
	}
	j.Outcome, j.Failed = c.decide(func(name string) (values []float64) {
		for _, r := range results {
			if matches(name, r.ID) {
				values = append(values, r.Values...)
			}
		}
		return values
	})
	return j
}

func init() {
	conclusion.Later(func() (out []conclusion.Any) {
		for _, c := range Claims() {
			out = append(out, rule{c})
		}
		return out
	})
}

// rule is a claim whose operands are one value for each name.
type rule struct{ Claim }

func (r rule) Name() string { return "claim: " + r.ID }

func (r rule) Cases() int { return 2 }

// New returns a struct with a field for each name, in their order.
func (r rule) New() any {
	var names []string
	from, to := map[string]float64{}, map[string]float64{}
	for _, k := range r.Conditions {
		lo, hi := k.factor-math.Abs(k.factor)-1, k.factor+math.Abs(k.factor)+1
		if k.right != "" {
			lo, hi = -100, 100
		}
		for _, name := range k.names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			from[name], to[name] = min(lo, from[name]), max(hi, to[name])
		}
	}
	var fields []reflect.StructField
	for i, name := range names {
		tag := fmt.Sprintf(`name:"%s" turn:"%g %g"`, name, from[name], to[name])
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Name%d", i), Type: reflect.TypeFor[float64](),
			Tag: reflect.StructTag(tag)})
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

func (r rule) Decide(operands any) string {
	v := reflect.ValueOf(operands).Elem()
	outcome, _ := r.decide(func(name string) []float64 {
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("name") == name {
				return []float64{v.Field(i).Float()}
			}
		}
		return nil
	})
	return string(outcome)
}
