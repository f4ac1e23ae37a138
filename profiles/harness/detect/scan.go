package detect

import (
	"slices"
	"strings"
	"time"
)

// scan finds everything in a line that counts or states a time.
func (d *Detector) scan(line string, now time.Duration, whole bool) {
	nums := numbers(line)
	bar := isBar(line)
	if len(nums) == 0 || !whole && !bar {
		return
	}
	nums = d.joined(line, nums)
	ordered(line, nums)
	columns := d.columns(line, len(nums))
	epoch := d.epochOf(line, nums, columns)
	used := make([]bool, len(nums)) // they are no counts without a word
	stated := times(line, nums)
	for _, s := range stated {
		used[s.at] = true
	}
	loose := 0
	for i := range nums {
		label := ""
		if columns != nil {
			label = columns[i]
		}
		f, of, ok := d.place(line, nums, i, used, bar, whole, label)
		if ok && f.loose {
			loose++
		}
		if !ok || f.loose && loose > mostLoose {
			continue
		}
		c := d.find(f)
		if c == nil {
			continue
		}
		named := epoch
		if c.unit == Epoch {
			named = 0
		}
		moves := c.moves
		c.count(int(nums[i].v), nums[i].step, of, named, now, &d.log)
		if c.moves != moves || c.example == "" {
			c.example = line
		}
		if c.moves != moves && !c.loose && c.line > 0 {
			d.log.moved[c.line] = true
		}
	}
	if whole {
		d.told(line, nums, stated, now)
	}
}

// mostCount is the largest number that can be a count; mostLoose how many numbers of a line count without a word.
const (
	mostCount = 1e12
	mostLoose = 8
)

// isBar reports whether a line is a progress bar, which can be read before it ends.
func isBar(line string) bool {
	return strings.Contains(line, "%|") || strings.ContainsAny(line, "━█") || strings.Contains(line, "it/s") ||
		strings.Contains(line, "s/it") || strings.Contains(line, "[#") || strings.Contains(line, "[=") ||
		strings.Contains(line, "[-")
}

// place returns which counter the number at i belongs to, and its end (0: unknown); ok is false when it counts nothing.
func (d *Detector) place(line string, nums []number, i int, used []bool, bar, whole bool, column string) (f found,
	of int, ok bool) {
	n := nums[i]
	if !n.whole || n.v > mostCount {
		return f, 0, false
	}
	prefix, rest := line[:n.from], line[n.to:]
	f = found{form: "counter", unit: Step, name: prefix}
	label := column
	if label == "" {
		label = labelOf(line, nums, i)
	}
	if unit, derived := countedBy(label); unit != "" {
		f.unit, f.labelled, f.derived = unit, true, derived
	}
	file := len(rest) > 1 && rest[0] == '.' && letter(rest[1]) // img12.jpg
	if n.glued && (file || !f.labelled && !unitFollows(rest)) || clock(line, n) {
		return f, 0, false
	}
	if to, known := ratio(line, nums, i); to >= 0 {
		if !known && !strings.HasPrefix(strings.TrimLeft(rest, " "), "/") {
			to = 0
		}
		if !whole && known && nums[i+1].to == len(line) { // it may be cut
			return f, 0, false
		}
		f.ratio, f.bar = true, bar
		return d.ratioOf(line, nums, i, f, known), to, true
	}
	if !whole {
		return f, 0, false
	}
	f.form = "step"
	if after, tail := firstWord(strings.TrimPrefix(rest, " ")); !f.labelled && !n.namesNext &&
		counters[strings.ToLower(after)] != "" &&
		!strings.HasPrefix(rest, "/") && !strings.HasPrefix(tail, "/") && !namesNext(tail) &&
		unitOf(line, n) == (rateUnit{}) {
		f.unit, f.labelled, f.loose = counters[strings.ToLower(after)], true, !strings.HasPrefix(rest, after)
		return f, 0, f.unit != Epoch
	}
	if suffixed(rest) || unitOf(line, n) != (rateUnit{}) {
		return f, 0, false
	}
	if f.labelled {
		return f, 0, true
	}
	f.loose = true
	return f, 0, (!bar || direct(prefix)) && !n.glued && !used[i]
}

// unitFollows reports whether the word of a count is joined to a number: 120batch.
func unitFollows(rest string) bool {
	w, _ := firstWord(rest)
	return len(w) > 1 && counters[strings.ToLower(w)] != ""
}

// clock reports whether a number is part of a time or date: 12:31.
func clock(line string, n number) bool {
	at := n.to
	return at+2 < len(line) && line[at] == ':' && digit(line, at+1) && digit(line, at+2) && !digit(line, at+3) ||
		n.from > 1 && line[n.from-1] == ':' && digit(line, n.from-2) && n.to-n.from == 2
}

// labelOf returns the word before a number that names what is counted; "" if none is directly before it.
func labelOf(line string, nums []number, i int) string {
	from := 0
	if i > 0 {
		from = nums[i-1].to
	}
	if own := line[from:nums[i].from]; direct(own) {
		return counted(words(own, 2))
	}
	return ""
}

// counted returns the word of a label that names what is counted: the last, or the one before it in step_num.
func counted(label []string) string {
	n := len(label)
	switch {
	case n == 0, n > 1 && slices.Contains(numbering, label[n-2]) && label[n-1] == "updates": // several in a step
		return ""
	case n > 1 && slices.Contains(numbering, label[n-1]):
		return label[n-2]
	}
	return label[n-1]
}

// direct reports whether only punctuation separates the last word of a text from its end.
func direct(prefix string) bool {
	t := strings.TrimRight(prefix, " .:=#[(|\"'")
	return t != "" && (letter(t[len(t)-1]) || t[len(t)-1] == ')') && len(prefix)-len(t) < 16
}

// suffixed reports whether a number has a unit without a space, or belongs to a dimension: 50ms, 640x480, 5%.
func suffixed(rest string) bool {
	return rest != "" && (word(rest[0]) || strings.IndexByte("%/_", rest[0]) >= 0)
}

// ratioOf completes a counter that is printed with its end, such as 47/1563.
func (d *Detector) ratioOf(line string, nums []number, i int, f found, known bool) found {
	rest := line[nums[i].to:]
	if strings.Contains(line, "%|") || strings.Contains(line, "it/s") || strings.Contains(line, "s/it") {
		f.form = "tqdm"
		if strings.Contains(line, "•") {
			f.form = "rich"
		}
	}
	if unit := barUnit(rest); !f.labelled && f.bar && unit != "" {
		f.unit = unit
	}
	if known {
		w, _ := firstWord(strings.TrimLeft(strings.ToLower(line[nums[i+1].to:]), " "))
		switch unit := units[w]; {
		case seconds[w] > 0:
			f.unit = byteUnit
		case bytesUnit(w):
			f.unit = byteUnit
		case len(w) > 1 && unit != "" && unit != Step && !f.labelled:
			f.unit = unit
		}
	}
	// PyTorch's example counts samples: its count is followed by a percentage, with few lines per epoch.
	if strings.Contains(f.name, "Train Epoch:") && strings.Contains(line, "%)]") && strings.Contains(line, "Loss:") {
		f.form, f.unit = "pytorch", Sample
	}
	return f
}

// byteUnit is the unit of counts that are none of work: of memory, downloads and seconds.
const byteUnit = "byte"

func bytesUnit(w string) bool {
	return slices.Contains([]string{"b", "kb", "mb", "gb", "kib", "mib", "gib"}, strings.ToLower(w))
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
		switch {
		case per != "s" || w == "":
		case bytesUnit(w):
			return byteUnit
		default:
			return units[w]
		}
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
	if strings.HasPrefix(rest, "/?") || strings.HasPrefix(rest, "/Unknown") || strings.HasPrefix(line[n.to:], "it [") {
		return 0, false
	}
	if i+1 >= len(nums) {
		return -1, false
	}
	m := nums[i+1]
	between := strings.TrimSpace(line[n.to:m.from])
	if between != "/" && between != "of" && between != "out of" || !m.whole || m.v < 2 || n.v > m.v+1 ||
		m.v > mostCount {
		return -1, false
	}
	if m.to < len(line) {
		switch c := line[m.to]; {
		case c == '/', c == '_', letter(c) && !strings.HasPrefix(line[m.to:], "it") && !unitFollows(line[m.to:]) &&
			!bytesUnit(line[m.to:min(len(line), m.to+1)]):
			return -1, false
		case c == '.' && digit(line, m.to+1):
			return -1, false
		}
	}
	return int(m.v), true
}

// columns returns the names of a row's numbers by the header of its table; nil for other lines. It notes a header: a
// line without numbers whose words name a count.
func (d *Detector) columns(line string, n int) []string {
	if len(d.table) == 0 {
		return nil
	}
	f := fields(line)
	if len(f) != len(d.table) {
		return nil
	}
	var names []string
	for i, text := range f {
		found := len(numbers(text))
		if strings.Trim(text, "0123456789+-.:/%eTZ ,naif") != "" {
			return nil
		}
		for range found {
			names = append(names, d.table[i])
		}
	}
	if len(names) != n {
		return nil
	}
	return names
}

// headed notes the header of a table: epoch  train_loss  valid_loss, step,loss,lr or | epoch | step |.
func (d *Detector) headed(line string) {
	if strings.ContainsAny(line, ":=([{\"") || strings.ContainsAny(line, "0123456789") && !strings.Contains(line, ",") {
		return
	}
	f := fields(line)
	known := false
	for i, name := range f {
		if strings.TrimSpace(name) == "" && line[0] != '|' || len(name) > 40 {
			return
		}
		f[i] = counted(words(name, 2))
		known = known || counters[f[i]] != ""
	}
	if first := counters[f[0]] != ""; known && len(f) > 1 && (first || strings.ContainsAny(line, ",|")) {
		d.table = f
	}
}

// fields returns the columns of a line, separated by commas, by the rules of a table or by spaces.
func fields(line string) []string {
	if inner, ok := strings.CutPrefix(line, "|"); ok {
		return strings.Split(strings.TrimSuffix(inner, "|"), "|")
	}
	if strings.Contains(line, ",") {
		return strings.Split(line, ",")
	}
	return strings.Fields(line)
}

// epochOf returns the epoch named in a line, or that of the line before, as printed.
func (d *Detector) epochOf(line string, nums []number, columns []string) int {
	for i, n := range nums {
		if !n.whole || n.v > 1e9 || n.from > 60 || strings.HasPrefix(line[n.to:], "%") {
			continue
		}
		label := ""
		if columns != nil {
			label = columns[i]
		} else {
			label = labelOf(line, nums, i)
		}
		if label == "epoch" || label == "ep" {
			if d.epoch = int(n.v); d.epoch == 0 {
				d.fromZero = true
			}
			break
		}
	}
	return d.epoch
}

// found describes a counter in a line.
type found struct {
	form, unit, name, label     string
	ratio, bar, labelled, loose bool
	stated, plain, known        bool
	derived                     bool // the word only ends like that of a count
}

const (
	// manyNames is how many names bars may have before they share one: file names change with each count.
	manyNames = 8
	// mostCounters bounds the counters.
	mostCounters = 300
)

// find returns the counter of a name and place, or a new one; nil when there are too many.
func (d *Detector) find(f found) *counter {
	name := template(f.name)
	kind := f.unit + "\x00" + f.label
	for _, flag := range []bool{f.stated, f.ratio, f.loose} {
		if kind += "\x00"; flag {
			kind += "+"
		}
	}
	key := kind + "\x00" + name
	c := d.byKey[key]
	if f.ratio && d.names[kind] >= manyNames && (c == nil || c.spans < enoughUnits) {
		name, key = "", kind+"\x00any"
		c = d.byKey[key]
	}
	if c == nil {
		if len(d.all) >= mostCounters {
			return nil
		}
		d.names[kind]++
		c = &counter{form: f.form, name: name, unit: f.unit, ratio: f.ratio, bar: f.bar, labelled: f.labelled,
			loose: f.loose, stated: f.stated, plain: f.plain, known: f.known, derived: f.derived,
			polarity: polarity(f.name),
			what:     describe(name), order: len(d.all)}
		d.byKey[key] = c
		d.all = append(d.all, c)
	}
	c.line = d.kind
	return c
}

// describe returns the display name of a counter: the words before its count.
func describe(name string) string {
	name = strings.TrimRight(strings.TrimSpace(name), " :=[(%#|")
	if r := []rune(name); len(r) > 40 {
		name = "…" + string(r[len(r)-39:])
	}
	return strings.TrimSpace(name)
}
