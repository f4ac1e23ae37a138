package detect

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// scan finds everything in a line that counts or states a time.
func (d *Detector) scan(line string, now time.Duration, whole bool) {
	if whole && (d.csvRow(line, now) || d.csvHead(line)) {
		return
	}
	nums := numbers(line)
	if len(nums) == 0 || len(line) > 0 && line[0] == '{' && !strings.Contains(line, `"`) && !strings.Contains(line, "'") {
		return
	}
	bar := isBar(line)
	if !whole && !bar {
		return
	}
	epoch := d.epochOf(line, nums)
	var moved []*candidate
	used := make([]bool, len(nums))
	for i := range nums {
		c := d.counter(line, nums, i, used, bar, whole)
		if c == nil {
			continue
		}
		was, runs, of, done := c.moved, c.run, epoch, int(nums[i].v)
		switch {
		case c.unit == Epoch:
			of = 0
		case c.second:
			of, done = done, int(nums[i+1].v)
			d.epoch, d.fromZero = of, d.fromZero || of == 0
		}
		c.count(done, of, now, d.movedBeside(c))
		if c.moved != was || c.lines == 1 {
			c.example = line
		}
		if c.run != runs {
			for _, m := range moved {
				if m.moved == now {
					m.renews++
				}
			}
		}
		moved = append(moved, c)
	}
	if whole {
		for _, c := range d.told(line, nums, used, now) {
			for _, m := range moved {
				if !slices.Contains(c.with, m) && len(c.with) < 8 {
					c.with = append(c.with, m)
				}
			}
		}
	}
	for _, c := range moved {
		if c.moved == now && c.polarity != before || c.moved == now && c.of > 0 {
			d.note(c, moved, now)
		}
	}
}

// mostCount is the largest number that can be a count.
const mostCount = 1e12

// isBar reports whether a line is a progress bar, which can be read before it ends.
func isBar(line string) bool {
	return strings.Contains(line, "%|") || strings.ContainsAny(line, "━█") || strings.Contains(line, "it/s") ||
		strings.Contains(line, "s/it")
}

// counter returns the candidate to which the number at i belongs; nil when it does not count.
func (d *Detector) counter(line string, nums []number, i int, used []bool, bar, whole bool) *candidate {
	n := nums[i]
	if used[i] || !n.whole || n.v > mostCount {
		return nil
	}
	prefix := line[:n.from]
	label := words(prefix, 2)
	if adjacent := i > 0 && nums[i-1].to >= n.from-1; adjacent {
		label = nil
	}
	last := ""
	if direct(prefix) {
		last = counted(label)
	}
	_, labelled := counters[last]
	if whole && i > 0 && strings.HasSuffix(prefix, "-") && strings.HasPrefix(line[n.to:], "batch") { // 61-80batch
		return d.find(found{form: "espnet", unit: Step, name: line[:nums[i-1].from], label: "batch"})
	}
	if n.glued && !labelled || slices.Contains(noCounts, last) && named(prefix) {
		return nil
	}
	if of, known := ratio(line, nums, i); of >= 0 {
		if known {
			used[i+1] = true
		}
		if !whole && !bar {
			return nil
		}
		if known && whole && d.paired(prefix, int(n.v), of) {
			return d.find(found{form: formOf(line, "counter"), unit: Step, name: prefix, label: "second", second: true})
		}
		f := d.ratioOf(line, n, last, of, bar)
		if known {
			w, _ := firstWord(strings.TrimLeft(strings.ToLower(line[nums[i+1].to:]), " "))
			if seconds[w] > 0 {
				return nil
			} else if unit := units[w]; len(w) > 1 && unit != "" && unit != Step && !f.labelled {
				f.unit = unit
			}
		}
		return d.find(f)
	}
	if !whole {
		return nil
	}
	rest := line[n.to:]
	if strings.HasPrefix(rest, "it [") {
		return d.find(found{form: "tqdm", unit: Step, name: prefix})
	}
	if unit := d.leading(line, nums, i); unit != "" {
		return d.find(found{form: formOf(line, "counter"), unit: unit, label: "leading", loose: len(nums) == 2})
	}
	if !labelled || suffixed(rest) {
		return nil
	}
	return d.find(found{form: formOf(line, "step"), unit: counters[last], name: prefix, label: last})
}

// counted returns the word of a label that names what is counted: the last, or the one before it in step_num.
func counted(label []string) string {
	n := len(label)
	switch {
	case n == 0, n > 1 && label[n-2] == "n" && label[n-1] == "updates": // several in a step
		return ""
	case n > 1 && slices.Contains(numbering, label[n-1]):
		return label[n-2]
	}
	return label[n-1]
}

// direct reports whether only punctuation separates the last word of a text from its end.
func direct(prefix string) bool {
	t := strings.TrimRight(prefix, " :=#[(|\"'")
	return t != "" && (letter(t[len(t)-1]) || t[len(t)-1] == ')') && len(prefix)-len(t) < 16
}

// named reports whether a word directly precedes a number, without another number between.
func named(prefix string) bool {
	t := strings.TrimRight(prefix, " :=#[(|\"'")
	return t != "" && letter(t[len(t)-1])
}

// suffixed reports whether a number has a unit or is a dimension: 50ms, 640x480, 20 it/s.
func suffixed(rest string) bool {
	if rest == "" {
		return false
	}
	if word(rest[0]) || rest[0] == '%' || rest[0] == '/' || rest[0] == '_' {
		return true
	}
	return unitAfter(rest) != (rateUnit{})
}

// ratioOf returns a counter with an end, such as 47/1563.
func (d *Detector) ratioOf(line string, n number, label string, of int, bar bool) found {
	prefix := line[:n.from]
	f := found{form: "counter", unit: Step, name: prefix, of: of, ratio: true, bar: bar}
	if strings.Contains(line, "%|") || strings.Contains(line, "it/s") || strings.Contains(line, "s/it") {
		f.form = "tqdm"
		if strings.Contains(line, "•") {
			f.form = "rich"
		}
	}
	f.form = formOf(line, f.form)
	if unit, ok := counters[label]; ok {
		f.unit, f.labelled = unit, true
	} else if unit := barUnit(line[n.to:]); bar && unit != "" {
		f.unit = unit
	}
	if f.form == "ultralytics" && strings.Contains(prefix, "Class") {
		f.name = "val " + prefix
	}
	// PyTorch's example counts samples: its count is followed by a percentage, with few lines per epoch.
	if strings.Contains(prefix, "Train Epoch:") && strings.Contains(line, "%)]") && strings.Contains(line, "Loss:") {
		f.form, f.unit = "pytorch", Sample
	}
	return f
}

// barUnit returns what a bar counts, from the first rate after its count: 19.9it/s, 1.2s/it.
func barUnit(rest string) string {
	for at := range len(rest) {
		if rest[at] != '/' {
			continue
		}
		i, j := at, at+1
		for i > 0 && letter(rest[i-1]) {
			i--
		}
		for j < len(rest) && letter(rest[j]) {
			j++
		}
		w, per := strings.ToLower(rest[i:at]), strings.ToLower(rest[at+1:j])
		if w == "s" {
			w, per = per, w
		}
		if per != "s" || w == "" {
			continue
		}
		switch w {
		case "b", "kb", "mb", "gb", "kib", "mib", "gib":
			return "byte"
		}
		return units[w]
	}
	return ""
}

// ratio returns the second number of a ratio such as 47/1563, and whether it is known; -1 where there is none.
func ratio(line string, nums []number, i int) (of int, known bool) {
	n := nums[i]
	if n.from > 0 && (line[n.from-1] == '/' || line[n.from-1] == '.') {
		return -1, false
	}
	rest := strings.TrimLeft(line[n.to:], " ")
	if strings.HasPrefix(rest, "/?") || strings.HasPrefix(rest, "/Unknown") {
		return 0, false
	}
	if i+1 >= len(nums) {
		return -1, false
	}
	m := nums[i+1]
	between := strings.TrimSpace(line[n.to:m.from])
	if between != "/" && between != "of" && between != "out of" || !m.whole || m.v < 2 || n.v > m.v+1 || m.v > 1e12 {
		return -1, false
	}
	if m.to < len(line) {
		switch c := line[m.to]; {
		case c == '/', c == '_', letter(c) && !strings.HasPrefix(line[m.to:], "it"):
			return -1, false
		case c == '.' && digit(line, m.to+1):
			return -1, false
		}
	}
	return int(m.v), true
}

// leading returns what a number at the start of a line counts, in tables of programs that print no labels; ""
// elsewhere.
func (d *Detector) leading(line string, nums []number, i int) string {
	if i == 1 && bracketed(line, nums) {
		return Step // PyTorch's tutorials
	}
	if i != 0 {
		return ""
	}
	if nums[0].from == 0 && d.row(line) {
		return d.table
	}
	rest := line[nums[0].to:]
	switch {
	case nums[0].from == 0 && len(nums) == 2 && !nums[1].whole && nums[1].to == len(line) &&
		strings.Trim(line[nums[0].to:nums[1].from], " :-,") == "":
		return Step // a step and its loss only
	case nums[0].from == 0 && strings.HasPrefix(rest, ": ") && strings.Contains(rest, " avg loss"),
		nums[0].from == 0 && strings.HasPrefix(rest, ": ") && strings.Contains(rest, " avg,"):
		return Step // Darknet
	case nums[0].from == 0 && strings.HasPrefix(rest, ":") && strings.Contains(rest, "learn:") &&
		strings.Contains(rest, "total:"):
		return Step // CatBoost
	case nums[0].from == 1 && line[0] == '#' && strings.Contains(rest, "loss"):
		return Step
	case nums[0].from == 1 && line[0] == '[' && strings.HasPrefix(rest, "]") &&
		(strings.Contains(rest, "train") || strings.Contains(rest, "valid") || strings.Contains(rest, "loss")):
		return Step // XGBoost, LightGBM, CLU
	}
	return ""
}

// bracketed reports whether a line begins with an epoch and a step, such as [1,  2000] loss: 2.3.
func bracketed(line string, nums []number) bool {
	return len(nums) > 1 && line[0] == '[' && nums[0].from == 1 && nums[0].whole && nums[1].whole &&
		strings.TrimSpace(line[nums[0].to:nums[1].from]) == "," && strings.HasPrefix(line[nums[1].to:], "]") &&
		strings.Contains(strings.ToLower(line[nums[1].to:]), "loss")
}

// headed notes the header of a table whose rows begin with a count: epoch  train_loss  valid_loss.
func (d *Detector) headed(line string) {
	f := strings.Fields(line)
	if unit, ok := counters[strings.ToLower(f[0])]; ok && len(f) > 2 && !strings.ContainsAny(line, "0123456789:=,([") {
		d.table, d.columns = unit, 0
	}
}

// row reports whether a line that begins with a number is a row of such a table.
func (d *Detector) row(line string) bool {
	if d.table == "" {
		return false
	}
	f := strings.Fields(line)
	if d.columns == 0 && len(f) > 2 {
		d.columns = len(f)
	}
	for _, word := range f {
		if !strings.ContainsAny(word[:1], "0123456789-+") && word != "nan" && word != "inf" {
			return false
		}
	}
	return len(f) > 2 && len(f) == d.columns
}

// epochOf returns the epoch named in a line, or that of the line before, as printed.
func (d *Detector) epochOf(line string, nums []number) int {
	if bracketed(line, nums) {
		if d.epoch = int(nums[0].v); d.epoch == 0 {
			d.fromZero = true
		}
		return d.epoch
	}
	for _, n := range nums {
		if !n.whole || n.v > 1e9 || n.from > 60 || strings.HasPrefix(line[n.to:], "%") {
			continue
		}
		label := counted(words(line[:n.from], 2))
		if (label == "epoch" || label == "ep") && direct(line[:n.from]) {
			if d.epoch = int(n.v); d.epoch == 0 {
				d.fromZero = true
			}
			return d.epoch
		}
	}
	return d.epoch
}

// found describes a candidate in a line.
type found struct {
	form, unit, name, label string
	of                      int
	ratio, bar              bool
	stated, plain, known    bool
	labelled, second, loose bool
}

// find returns the matching candidate, or a new one; nil when there are too many.
func (d *Detector) find(f found) *candidate {
	name := template(f.name)
	kind := f.unit + "\x00" + f.label + "\x00" + strconv.Itoa(f.of)
	if f.stated {
		kind += "\x00stated"
	}
	key := kind + "\x00" + name
	c := d.byKey[key]
	if f.ratio && d.names[kind] >= manyNames && (c == nil || len(c.spans) < enoughSteps) {
		name, key = "", kind+"\x00any"
		c = d.byKey[key]
	}
	if c != nil {
		return c
	}
	if len(d.all) >= mostCandidates {
		return nil
	}
	d.names[kind]++
	if f.unit == Token { // generating is the work
		f.name = strings.ReplaceAll(strings.ToLower(f.name), "generating", "")
	}
	w := words(valueNames.ReplaceAllString(f.name, " "), 40)
	c = &candidate{form: f.form, name: name, unit: f.unit, of: f.of, stated: f.stated, plain: f.plain, known: f.known,
		labelled: f.labelled, bar: f.bar, second: f.second, loose: f.loose,
		polarity: polarity(w), what: describe(f, name), order: len(d.all)}
	d.byKey[key] = c
	d.all = append(d.all, c)
	return c
}

// manyNames is how many names counters of one kind may have before they share one: file names change with each count.
const manyNames = 8

// mostCandidates bounds the candidates: lines with file names create one each.
const mostCandidates = 300

// describe returns the display name of a candidate: the words before its count.
func describe(f found, name string) string {
	name = strings.TrimRight(strings.TrimSpace(name), " :=[(%#|")
	if r := []rune(name); len(r) > 40 {
		name = "…" + string(r[len(r)-39:])
	}
	return strings.TrimSpace(name)
}

// movedBeside returns when a candidate other than c, with its own count, last advanced.
func (d *Detector) movedBeside(c *candidate) time.Duration {
	for _, m := range d.moves {
		if m.of != c {
			return m.at
		}
	}
	return 0
}

// note keeps the two candidates that advanced last.
func (d *Detector) note(c *candidate, same []*candidate, now time.Duration) {
	keep := []move{{c, now}}
	for _, m := range d.moves {
		if m.of != c && !slices.Contains(same, m.of) && len(keep) < 2 {
			keep = append(keep, m)
		}
	}
	d.moves = keep
}

type move struct {
	of *candidate
	at time.Duration
}
