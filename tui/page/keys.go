package page

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"jtune/tui/widget"
)

// Keys is the table of keys. Matching, the last line, the help and the names in the configuration file all follow from
// it and keyTable.
type Keys struct {
	NextPage, PrevPage, Help, Suspend, Freeze, Tune, Undo, Copy, Export, Quit, Messages, Mouse, Slower, Faster, Page,
	Enlarge, Back, Up, Down, Left, Right, PageUp, PageDown, HalfUp, HalfDown, Home, End, Enter, Apply, AtOnce,
	Yes, No, Filter, NextMatch, PrevMatch, Palette, Sort, AtBoot, Compare, Presets, Compose, Block, Lower, Higher,
	Limits, Rivals, Axes, Group, Verify, Lock, Table, Answer, Size, SizeBefore, Log, Whole, ZoomIn, ZoomOut, Start,
	StartBest, Edit, Stop, Output, Pause, Resume, Redo, Look, Soak, Report, Race, Load, Refit, Mark, NextPlot, Picture,
	Recall,
	FieldNext, FieldPrev, OptionNext, OptionPrev, More, StartNow, New, Open, Rename, Delete, Restore, Boards, OwnJob,
	Reread, SaveJob widget.Action
}

// ShowsRest is the last line of a text that does not fit its panel.
func (k *Keys) ShowsRest() string { return "… " + k.Enlarge.Label() + " shows the rest" }

// keyTable has a row for each field of Keys: name, keys, label in the last line, where it works, and a longer text for
// the help. It works on a page, in a dialog ("form"), while a filter is "typed", during a "search", in a
// "question" over the page, in the "help", or "everywhere", on all pages. No function keys, no alt chords, and no keys
// that screen and tmux reserve.
const keyTable = `
NextPage    tab         next page         everywhere
PrevPage    shift+tab   previous page     everywhere
Help        ?           help              everywhere  the keys and the numbers of this page
Suspend     ctrl+z      suspend           everywhere  back to the shell; fg continues, and the board stays as it is
Freeze      f           freeze            everywhere  freeze the view; reading continues
Tune        t           tune              everywhere  find the best power mode for a workload
Undo        u           undo              everywhere  undo the last change to the device
Copy        y           copy              everywhere  copy what the cursor is on (OSC 52)
Export      ctrl+s      export view       everywhere  write this view to files: text, and CSV, JSON, SVG
Quit        q ctrl+c    quit              everywhere  quit; what was not kept is restored
Messages    !           messages          everywhere  list all messages, with their times
Palette     : ctrl+p    all actions       everywhere  list every action, its key and why it does not work now; type to find one
Boards      B           boards            everywhere  another board's screens, over ssh; B there returns
Mouse       m           mouse             everywhere  mouse on or off: click a mode, zoom by the wheel
Slower      <           slower            everywhere  a virtual board's clock slower
Faster      >           faster            everywhere  a virtual board's clock faster
Page        1 2 3 4 5 6  open a page       everywhere
Enlarge     e           enlarge           everywhere  enlarge a panel, one after another
Back        esc         back              everywhere form typed question  leave what is open; never quits
Up          up k        up                train profile models front modes help
Down        down j      down              train profile models front modes help
Left        left h      left              profile front
Right       right l     right             profile front
PageUp      pgup        a screen up       train profile models front modes help
PageDown    pgdown      a screen down     train profile models front modes help
HalfUp      ctrl+u      half a screen up  train profile models front modes help
HalfDown    ctrl+d      half a screen down  train profile models front modes help
Home        g home      first             train profile models front modes help
End         G end       last              train profile models front modes help
Enter       enter       next              form typed
Apply       a           apply             front modes question  show what would change; again: apply it
AtOnce      A           apply at once     front modes question  apply the mode at the cursor without showing first what would change
Lock        D           lock on/off       question    lock the clocks, or only cap them and leave them free below
Yes         y Y         yes               question    yes to the question asked: keep, quit
No          n N         no                question    no to the question: revert, stay
Filter      /           filter            train profile models front modes help  keep modes such as cores>=8 gpu<900MHz; in other lists, logs and the help: search
NextMatch   enter       next match        search      go to the next line with the text
PrevMatch   N           previous match    search      go to the previous line with it
Sort        s           sort              modes       sort: then a letter for the column; the same letter again reverses the order
AtBoot      W           at boot           modes       set today's mode at every boot, too
Compare     d           compare           profile modes  marked modes side by side; of campaigns: mark one, then compare it with another
Presets     p           presets           modes       list the board's own presets
Compose     C           compose           modes       build a mode, setting by setting
Block       w           nvpmodel block    modes       write this mode as a block for nvpmodel.conf
Lower       [           limit down        front form  lower the limit, and go to its answer
Higher      ]           limit up          front form question raise the limit, and go to its answer
Limits      i           type limits       front modes  type limits, such as 30 W; for inference also a load: 30 W, p99 50 ms, 30/s
Axes        X           axes              front       time, power, energy; for inference also units per second and, under a load, latency; for a map its quantity
Group       K           group by clock    front       light up the modes that share a clock; other clocks of a map or curves
Rivals      O           other models      front       fronts and choices of other models of the workload, over the same cloud
Verify      v           measure           everywhere  measure the mode at the cursor, or another one, then restore the board
Table       b           table/plot        front       the Pareto front as a table, and back
Answer      c           to the answer     front       back to the best mode within the limit
Size        z           next batch size   front
SizeBefore  Z           previous batch size  front
Log         L           log/linear        front       axes logarithmic or linear, in turn
Whole       0           no zoom           front       all modes again
ZoomIn      + =         zoom in           front       zoom in on the cursor
ZoomOut     -           zoom out          front
Start       enter       start             train       run the workload in today's mode
StartBest   T           best mode         train       run the job in the mode that a search found for it; restore the board afterwards
Edit        C           settings          train       batch size and loader workers of a run
Stop        x           stop              train profile modes  stop it and restore the board, after a question
Output      o           log               train
Pause       space       pause             profile     pause after the mode in progress; again: continue
Resume      r           continue          profile     continue a campaign that was cut off
Redo        R           redo failed       profile     measure the failed modes once more
Look        enter       the front         question    look at the answer of a search on the Pareto front
Soak        S           soak              live profile question  prove that a mode holds: heat, currents and clocks under a long job
Report      R           report            question    write one page on the search to hand over
Race        r           race              question    today's mode, the best preset and the answer side by side under one limit, as they were measured
Load        enter       load              models      load this model's predictions
Refit       F           fit again         models      fit the same modes by another method, or with another reference
Mark        space       mark to compare   models modes  mark a model; the one under the cursor is compared with it
NextPlot    X           next plot         models      predictions, regions, clocks, learning, repeats, loss, comparison
Picture     V           map, curves       front       the cloud of modes, a map over two clocks, curves over one
Recall      Q           the card          front models  open the answer of the newest search of this workload
FieldNext   down tab j  next field        form
FieldPrev   up shift+tab k  previous field    form
OptionNext  right l     change            form
OptionPrev  left h      change            form
More        pgdown      more              form        the questions that are not shown at first
StartNow    t ctrl+t    start now         form        start with these answers; at a question that takes letters, ctrl+t
New         n           new campaign      profile     measure modes of your choice: which, how many, how often
Open        enter       open              profile     show what a campaign measured
Rename      M           rename            profile models  give a campaign or a model another name
Delete      D           delete            profile models  move a campaign or a model aside; a campaign's model forgets what it measured
Restore     U           deleted           profile models  list what was deleted; there: restore one
OwnJob      n           new job           train       type a command of your own, see how it is read, save it, tune it
Reread      X           next reading      train       start a command of your own again, and read it in another way
SaveJob     s           save              train       write a command of your own into the configuration, under a name
`

// keyRow is a row of keyTable.
type keyRow struct {
	name, word, does string
	typed, where     []string
}

var keyRows = parseKeyTable(keyTable)

func parseKeyTable(table string) (rows []keyRow) {
	gap := regexp.MustCompile("  +")
	for line := range strings.Lines(strings.TrimSpace(table)) {
		c := append(gap.Split(strings.TrimSpace(line), -1), "")
		rows = append(rows, keyRow{c[0], c[2], c[4], strings.Fields(c[1]), strings.Fields(c[3])})
	}
	return rows
}

// DefaultKeys returns the built-in table.
func DefaultKeys() *Keys {
	t := &Keys{}
	for i, a := range t.actions() {
		row := keyRows[i]
		a.ID, a.Does = a.name, row.does
		a.bind(row.typed, row.word)
	}
	t.Page.SetHelp("1-6", t.Page.Help().Desc)
	return t
}

// ListKeys returns the keys that move through rows and search them.
func (t *Keys) ListKeys() widget.ListKeys {
	return widget.ListKeys{Up: t.Up, Down: t.Down, PageUp: t.PageUp, PageDown: t.PageDown,
		HalfUp: t.HalfUp, HalfDown: t.HalfDown, Home: t.Home, End: t.End,
		Search: t.Filter, Next: t.NextMatch, Prev: t.PrevMatch, Back: t.Back}
}

// action is one row of the key table.
type action struct {
	*widget.Action
	name  string // in the configuration file: "next_page"
	where []string
}

// bind sets the keys of an action; the screen shows the first one, a dash if there is none.
func (a action) bind(typed []string, word string) {
	label := widget.Dash
	if len(typed) > 0 {
		label = keyLabel(typed[0])
	}
	a.SetHelp(label, word)
	if slices.Contains(typed, "space") {
		typed = append(slices.Clone(typed), " ") // some terminals send it for space
	}
	a.SetKeys(typed...)
}

// actions lists the rows of the table, in the order of keyTable.
func (t *Keys) actions() []action {
	v := reflect.ValueOf(t).Elem()
	var out []action
	for _, row := range keyRows {
		a := v.FieldByName(row.name).Addr().Interface().(*widget.Action)
		out = append(out, action{Action: a, name: snake(row.name), where: row.where})
	}
	return out
}

// snake converts NextPage to next_page.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func keyLabel(k string) string {
	return cmp.Or(keySigns[k], k)
}
