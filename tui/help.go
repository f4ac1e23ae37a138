package tui

import (
	"strings"
)

// helpText draws the keys of a page and those that work everywhere, from the
// key table.
func helpText(title, version string, page []hint, w, h, scroll int) string {
	inner := min(w, 76) - 4
	lines := []string{styleBold.Render("on " + title)}
	for _, k := range page {
		lines = append(lines, helpLine(k, inner))
	}
	if text := numbers[title]; text != "" {
		lines = append(lines, "", styleBold.Render("the numbers"), wrap(text, inner))
	}
	lines = append(lines, "", styleBold.Render("everywhere"))
	for _, k := range globalHints() {
		lines = append(lines, helpLine(k, inner))
	}
	lines = append(lines, "", styleDim.Render(wrap("VIRTUAL is a simulation, not a measurement; REPLAY answers from a file. A dash is a value nobody gave. W: what the module draws.", inner)))
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	room := max(1, h-2)
	scroll = max(0, min(scroll, len(lines)-room))
	lines = lines[scroll:]
	note := ""
	if len(lines) > room {
		note = "↓ more"
	}
	text := strings.Join(lines[:min(len(lines), room)], "\n")
	return box(strings.TrimSpace("Help, jtune "+version), note, text, min(w, 76), min(h, strings.Count(text, "\n")+3))
}

// numbers explains what a page shows, by its title.
var numbers = map[string]string{
	"Live": "actual: what a clock runs at. asked: the most it was told to, in wide windows from–to. cap: the most this board allows. busy: share of time at work. " +
		"per core: busy by height, × is switched off. EMC: the memory's clock. rails: the supply lines, by the board's names. now, 1 min: watts at this moment and on average. module total: what the rails with + (or =) add up to; covers says what is in it. " +
		"locked: clocks stand at what was asked. throttled: heat slows a part of the SoC now. tj: the hottest place of the chip. off: sensors of parts without power. cache: files kept in RAM. over-current: times the supply's limit was met since the start. " +
		"on the GPU: processes that hold its memory, as the driver tells root.",
	"Front": "Each dot is a power mode: time of one minibatch to the right, watts upward (x takes other axes); left and low is good. The front, the cloud's " +
		"lower left edge: modes that no other beats in both. In brackets, and as bars at the cursor: where the true value lies 95 times in 100. What was " +
		"measured stands in the place of its prediction and has no band, but for ?: a reading that disagrees with all others counts for nothing until a second agrees. predicted: before the mode was measured; fitted: the model has learned from this very " +
		"mode. off: measured against that. ms/mb, J/mb: time and energy per minibatch; W: what " +
		"the module draws meanwhile; min/epoch: all of the training data once. gp, 12 modes: the method, and how many measured modes it learned from. error: of modes left out while learning. " +
		"against: this mode compared with others, minus is less. limit: the answer is the fastest mode within it.",
	"Modes": "12c/2.20C/1.30G/3.20M: cores online, clocks of CPU, GPU and memory (EMC) in GHz. ms/mb, W, J/mb: time, module power and energy of one minibatch " +
		"of the workload named above the table, measured where the last column says so, else predicted; a dash without a model. " +
		"95 %: where the true value lies 95 times in 100. is: what the mode is besides: the board's now, MAXN, a preset. ▴ the least first, ▾ the largest first. to A: compared with the mode marked first.",
	"Profile": "Each row is a measured mode: ms/mb, W, J: time, module power and energy of a minibatch. state: ok, or why it was chosen and whether it is over the limit; " +
		"a mode without values says why. front so far: what a model of the modes measured so far expects of all others, with its 95 % bands; " +
		"±: half their width along the front, which shrinks as modes come in. following: another jtune measures, this one only shows it.",
	"Models": "time, power ±: the mean error for modes left out while learning. time ×, power ×: how much a knob alone changes them over its range. " +
		"within its 95 % bands: left-out modes whose true value lies in the range that was predicted; 95 of 100 should.",
	"Train": "stall: waiting for data, more workers or cores may help. compute: the GPU's work. other: the rest of a minibatch. " +
		"in memory: how much of the data lies in the page cache, files kept in RAM; the first epoch reads the rest. busy: share of time at work.",
}

// meaning says more than the word in the last line has room for.
var meaning = map[string]string{
	"tune":            "find the best power mode for a workload",
	"undo":            "undo the last change to the device",
	"freeze":          "freeze the view; reading goes on",
	"enlarge":         "enlarge a panel, one after another",
	"copy":            "copy what the cursor is on (OSC 52)",
	"export view":     "write this view to files: text, and CSV, JSON, SVG",
	"help":            "the keys and the numbers of this page",
	"back":            "leave what is open; never quits",
	"yes":             "yes to the question asked: keep, quit",
	"no":              "no to it: revert, stay",
	"slower":          "a virtual board's clock slower",
	"faster":          "a virtual board's clock faster",
	"start":           "run the workload in the mode the board is in",
	"stop":            "stop now and put the board back",
	"pause":           "pause after the mode in progress, and go on",
	"limit down":      "lower the limit, and go to its answer",
	"limit up":        "raise it",
	"table/plot":      "the front as a table, and back",
	"mouse":           "mouse on or off: click a mode, zoom by the wheel",
	"quit":            "quit; what was not kept is put back",
	"speed":           "virtual clock slower, faster",
	"along":           "walk along the front",
	"off it":          "to the next mode above or below",
	"apply":           "show what would change; again: apply it",
	"limit":           "move the limit and go to its answer",
	"size":            "the model's minibatch size before, the next one",
	"verify":          "measure this mode, then put the board back",
	"far left":        "along the front by a twentieth of it",
	"far right":       "the other way",
	"axes":            "time and power, time and energy, power and energy",
	"log/linear":      "axes logarithmic or linear, in turn",
	"zoom in":         "zoom in on the cursor",
	"no zoom":         "all modes again",
	"to the answer":   "back to the best mode within the limit",
	"group by knob":   "light up the modes that share a knob's setting",
	"table":           "the front as a table",
	"plot":            "the table as a plot",
	"filter":          "keep modes such as cores>=8 gpu<900MHz",
	"presets":         "list the board's own presets",
	"history":         "list what was applied in this session",
	"compose":         "build a mode knob by knob",
	"sort":            "sort by the next column",
	"reverse":         "sort the other way round",
	"mark":            "mark a mode to compare it",
	"compare":         "marked modes side by side",
	"at boot":         "have the mode the board is in set at every boot, too",
	"take out":        "take this mode out of the comparison",
	"nvpmodel block":  "write this mode as a block for nvpmodel.conf",
	"fit again":       "fit the same modes by another method, or lean on another workload",
	"next plot":       "predictions, error by region, learning curve, comparison",
	"mark to compare": "mark a model; the one under the cursor is compared with it",
	"redo failed":     "measure the failed modes once more",
	"settings":        "minibatch size and loader workers of a run",
	"go on":           "go on with a campaign, or with the one cut off",
	"load":            "load this model's predictions",
}

// helpKeys is how many columns the names of keys take in the help.
const helpKeys = 13

func helpLine(k hint, w int) string {
	desc := k.Help().Desc
	if more := meaning[desc]; more != "" {
		desc = more
	}
	if k.why != "" {
		desc += " (not now: " + k.why + ")"
	}
	lines := strings.Split(wrap(desc, w-helpKeys), "\n")
	for i, line := range lines {
		name := ""
		if i == 0 {
			name = k.Help().Key
		}
		lines[i] = "  " + styleKey.Render(cut(name, helpKeys-3)) + " " + line
	}
	return strings.Join(lines, "\n")
}

// globalHints are the keys that work on every page.
func globalHints() []hint {
	return valid(keys.Page, keys.NextPage, keys.PrevPage, keys.Tune, keys.Undo, keys.Freeze, keys.Enlarge, keys.Slower, keys.Faster,
		keys.Copy, keys.Export, keys.Mouse, keys.Back, keys.Quit)
}

// footer fits the hints into the last line: the last keep of them always, then
// the first ones first.
func footer(hints []hint, keep, w int) string {
	room := w
	for _, k := range hints[len(hints)-keep:] {
		room -= width(k.Help().Key+" "+k.Help().Desc) + 2
	}
	own := footerPart(hints[:len(hints)-keep], room)
	tail := footerPart(hints[len(hints)-keep:], w)
	if own != "" && tail != "" {
		own += "  "
	}
	return cut(own+tail, w)
}

func footerPart(hints []hint, room int) string {
	var parts []string
	for _, k := range hints {
		text := styleKey.Render(k.Help().Key) + " " + k.Help().Desc
		if k.why != "" {
			text = styleDim.Render(k.Help().Key + " " + k.Help().Desc + " (" + k.why + ")")
		}
		n := width(text)
		if n > room {
			continue
		}
		parts = append(parts, text)
		room -= n + 2
	}
	return strings.Join(parts, "  ")
}
