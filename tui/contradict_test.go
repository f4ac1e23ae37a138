package tui_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

// statementsOn are the boards whose statements are compared: with a training, an inference and a workload whose batch
// size is searched, a limit for each, and a workload that does not fit the board's memory, if there is one.
var statementsOn = []struct {
	board, train, infer, sized string
	trainW, inferW, sizedW     int
	tooLarge                   string
	long                       bool // only with JTUNE_LONG
}{
	{"xavier-nx", "mobilenet", "mobilenet-infer", "alexnet-infer", 10, 10, 8, "vgg11", true},
	{"agx-orin", "resnet18", "resnet18-infer", "alexnet-infer", 30, 30, 20, "", true},
	{"orin-nano", "lstm", "mobilenet-infer", "alexnet-infer", 9, 9, 9, "", true},
	{"agx-xavier", "resnet18", "mobilenet-infer", "alexnet-infer", 20, 15, 15, "", true},
	{"tx2", "mobilenet", "alexnet-infer", "resnet18-infer", 8, 7, 7, "vgg11", true},
	{"nano", "lenet5", "mobilenet-infer", "alexnet-infer", 4, 5, 5, "resnet18", false},
}

// The statements of commands and screens about one board and its workloads are consistent: what fits, how much memory
// it takes, what limits a job, the best lever, the present mode, the answer to a limit, a model's error.
func TestTmuxNoTwoStatementsContradict(t *testing.T) {
	for _, c := range statementsOn {
		t.Run(c.board, func(t *testing.T) {
			t.Parallel()
			if c.long && os.Getenv("JTUNE_LONG") == "" {
				t.Skip("JTUNE_LONG runs the other boards")
			}
			s := hear(t, c.board)
			s.board()
			s.fits(c.train, 16)
			s.fits(c.infer, 1)
			if c.tooLarge != "" {
				s.fitsNot(c.tooLarge, c.infer)
			}
			s.trained(c.train)
			s.answers(c.train, c.trainW)
			s.answers(c.infer, c.inferW)
			s.pairs(c.train, c.infer)
			s.sizes(c.sized, c.sizedW)
			s.loaders("yolov8n")
			const since = " after the pair"
			s.models(c.train, c.train+"@"+s.virt, since)
			s.models(c.infer, c.infer+"@"+s.virt, since)
			s.screens(c.train, c.trainW, since)
			s.screens(c.infer, c.inferW, since)
			s.modelsPage(c.sized, "")
			for _, wrong := range contradictions(s.facts) {
				t.Error(wrong)
			}
			t.Logf("%d facts", len(s.facts))
		})
	}
}

// statements collects the statements of commands and screens about one board.
type statements struct {
	*testing.T
	facts []fact
	jtune func(args ...string) *exec.Cmd
	run   func(args ...string) (out string, code int) // standard output and error of a command
	open  func() *terminal                            // opens the screens on the same data
	term  *terminal
	virt  string
}

// hear opens a board with its own data directory.
func hear(t *testing.T, board string) *statements {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin := must.Get(program())(t)
	dir := t.TempDir()
	env := []string{"LANG=C.UTF-8", "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + dir}
	flags := []string{"--device", "virtual:" + board, "--speed", "max", "--data-dir", dir}
	s := &statements{T: t, virt: "virtual-" + board}
	s.jtune = func(args ...string) *exec.Cmd {
		cmd := exec.Command(bin, append(args, flags...)...)
		cmd.Env = append(os.Environ(), env...)
		return cmd
	}
	s.run = func(args ...string) (string, int) {
		t.Helper()
		cmd := s.jtune(args...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatalf("jtune %v: %v", args, err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	s.open = func() *terminal {
		term := inTerminal(t, "exec env "+strings.Join(env, " ")+" "+bin+" "+strings.Join(flags, " "))
		term.tmux("resize-window", "-x", "200", "-y", "50")
		return term
	}
	return s
}

// of names a workload at a batch size.
func of(workload string, batch int) string { return fmt.Sprintf("%s, batch %d", workload, batch) }

// says records the statements in a text; each pattern must match.
func (s *statements) says(of, by, text string, patterns ...string) {
	s.Helper()
	facts, missed := told(of, by, text, patterns...)
	for _, m := range missed {
		s.Error(m)
	}
	s.facts = append(s.facts, facts...)
}

// fact records one statement.
func (s *statements) fact(of, name, said, by string) {
	s.facts = append(s.facts, fact{of, name, said, by})
}

// command runs a command that must succeed, and records its statements.
func (s *statements) command(of string, args []string, patterns ...string) string {
	s.Helper()
	out, code := s.run(args...)
	if code != 0 {
		s.Fatalf("jtune %v: exit code %d\n%s", args, code, out)
	}
	s.says(of, strings.Join(args, " "), out, patterns...)
	return out
}

const modePattern = `\d+c/[0-9.]+C/[0-9.]+G/[0-9.]+M`

// board records what is set now.
func (s *statements) board() {
	s.Helper()
	s.command("the board", []string{"device"}, `^now +(?P<present_mode>`+modePattern+`)`)
	s.command("the board", []string{"watch", "--count", "1"}, ` W  (?P<present_mode>`+modePattern+`) `)
}

// spread joins a text's words with single spaces: line breaks do not matter.
func spread(text string) string { return strings.Join(strings.Fields(text), " ") }

// fits records statements about a workload that the board can run, its memory, and its number of loader processes.
func (s *statements) fits(name string, batch int) {
	s.Helper()
	w := of(name, batch)
	list := s.command(w, []string{"workloads"},
		`^`+name+`(?: DNR|\*)? .* (?P<workers__>\d+)$`)
	s.listed(w, name, list)
	out, code := s.run("doctor", "--workload", name)
	if code != 0 && code != 1 { // 1: data or PyTorch are missing on this machine
		s.Fatalf("doctor: exit code %d\n%s", code, out)
	}
	s.doctor(w, out)
}

// listed records the mark of a workload in the list: DNR if the board has too little memory, a star if the simulation
// is not based on measurements of such a board.
func (s *statements) listed(w, name, list string) {
	fit, runs := "yes", "simulated"
	switch {
	case strings.Contains(list, "\n"+name+" DNR"):
		fit, runs = "no", "no memory"
	case strings.Contains(list, "\n"+name+"*"):
		runs = "estimated"
	}
	s.fact(w, "fits", fit, "workloads")
	s.fact(w, "runs here", runs, "workloads")
}

// doctor records statements about memory and caching.
func (s *statements) doctor(w, out string) {
	s.Helper()
	s.says(w, "doctor", out, `^\w+ +memory +[0-9.]+ GB free of [0-9.]+ +(?P<needs__GB>[0-9.]+) GB at batch size`)
	s.says("the board", "doctor", out, `GB free of (?P<memory__GB>[0-9.]+) `,
		`memory +(?P<memory_free__GB>[0-9.]+) GB free of`)
	fit := "no"
	if strings.Contains(out, "refuses") == strings.Contains(out, "simulates it") {
		s.Errorf("the doctor's verdict on %s is neither:\n%s", w, out)
	} else if strings.Contains(out, "simulates it") {
		fit = "yes"
	}
	s.fact(w, "fits", fit, "the doctor's verdict")
	s.caching(w, "doctor", spread(out))
}

// caching records a text's statements about the data and the memory for them.
func (s *statements) caching(w, by, text string) {
	re := regexp.MustCompile(`The data set has ([0-9.]+) GB; ([0-9.]+) GB of memory are free beside the job: ` +
		`it (does not fit|fits)`)
	fit := map[string]string{"fits": "fit", "does not fit": "do not fit"}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		s.fact(w, "data", m[1]+" GB", by)
		s.fact(w, "memory beside the job", m[2]+" GB", by)
		s.fact(w, "data in memory", fit[m[3]], by)
	}
	if m := regexp.MustCompile(`each epoch reads it again`).FindString(text); m != "" {
		s.fact(w, "data in memory", "do not fit", by+" (what was in memory after the epochs)")
	}
	if m := regexp.MustCompile(`later epochs come from memory`).FindString(text); m != "" {
		s.fact(w, "data in memory", "fit", by+" (later epochs)")
	}
}

// fitsNot records statements about a workload that does not fit: every command refuses it with the same numbers.
func (s *statements) fitsNot(name, infer string) {
	s.Helper()
	w := of(name, 16)
	list := spread(s.command(w, []string{"workloads"}))
	refusal := name + ` at batch size 16 needs (?P<needs__GB>[0-9.]+) GB of memory, ` +
		`(?P<needs_with_the_system__GB>[0-9.]+) with the system`
	s.says(w, "workloads", list, refusal)
	s.fact(w, "fits", "no", "workloads")
	for _, args := range [][]string{
		{"run", name}, {"tune", name, "--power-limit", "10"}, {"profile", name, "--sample", "2"},
		{"pair", "--train", name, "--infer", infer, "--rate", "5", "--latency", "400"},
	} {
		out, code := s.run(args...)
		fit := "yes"
		if code == 4 {
			fit = "no"
		}
		s.fact(w, "fits", fit, strings.Join(args, " "))
		s.says(w, strings.Join(args, " "), spread(out), refusal)
	}
	out, _ := s.run("doctor", "--workload", name)
	s.doctor(w, out)
}

// loaders records the number of loader processes of a workload; some boards use none.
func (s *statements) loaders(name string) {
	s.Helper()
	w := of(name, 16)
	s.listed(w, name, s.command(w, []string{"workloads"}, `^`+name+`(?: DNR|\*)? .* (?P<workers__>\d+)$`))
	if out, code := s.run("run", name, "--minibatches", "3", "--no-record", "--json"); code == 0 {
		s.says(w, "run", out, `^  "workers": (?P<workers__>\d+)`)
	}
	s.term = s.open()
	s.page(w, "Train", "2", `[ ▸]`+name+` .* (?P<workers__>\d+) (?P<runs_here>simulated|estimated|no memory) `)
}

// trained records statements about a training in the present mode: what limits it, and whether its data stay in memory.
func (s *statements) trained(name string) {
	s.Helper()
	w := of(name, 16)
	bound := `(?P<bound>GPU-bound|CPU-bound|Loader-bound)`
	out := s.command(w, []string{"run", name, "--epochs", "2"}, bound)
	s.fact(w, "fits", "yes", "run")
	s.caching(w, "run", spread(out))
	text := s.command(w, []string{"run", name, "--minibatches", "60", "--no-record"}, bound)
	s.caching(w, "run --minibatches", spread(text))
}

// answers records the answer to a limit from everything that states one, after a search for it.
func (s *statements) answers(name string, watts int) {
	s.Helper()
	limit, model := fmt.Sprint(watts), name+"@"+s.virt
	at := fmt.Sprintf("%s within %d W", name, watts)
	answer := []string{`^(?P<answer>` + modePattern + `)  \(VIRTUAL`,
		`^the answer +● measured ✓ +(?P<time__ms>[0-9.]+) +(?P<power__W>[0-9.]+) +(?P<energy__J>[0-9.]+)$`,
		`^the limit +(?P<standing>.*)$`}
	answer = append(answer, `^(?P<gain>.*(?: than |of | in time to ).*: .* %|.*errors.*|the board is in the best.*|no preset fits.*)$`)
	tune := s.command(at, []string{"tune", name, "--power-limit", limit, "--probes", "9"}, answer...)
	s.says(name, "tune", tune, `jtune: (?P<modes_of_the_search__>\d+) modes? measured,`,
		`model of all that is known: .*/(?P<model>[^/]+)\.model`, `^takes .* today.*: (?P<time_in_the_present_mode__ms>[0-9.]+) ms`)
	choose := s.command(at, []string{"choose", "--model", name, "--power-limit", limit}, answer...)
	s.says(name, "choose", choose, `^takes .* today.*: (?P<time_in_the_present_mode__ms>[0-9.]+) ms`)
	s.versus(at, "tune", tune)
	s.versus(at, "choose", choose)
	mode := regexp.MustCompile(`(?m)^` + modePattern).FindString(choose)
	s.front(at, name, limit, mode)
	s.campaign(at, name, answer)
	s.command(at, []string{"rank", "--models", "x=" + model, "--samples", "50000", "--epochs", "5", "--power-limit",
		limit},
		`^x +(?P<answer>`+modePattern+`).* measured, VIRTUAL`)
	s.command(at, []string{"report", "--md", "--out", "-"}, `^\*\*(?P<answer>`+modePattern+`)\*\*`,
		`^- the limit: (?P<standing>.*)$`)
	s.models(name, model, "")
}

// sizes records the answer to a limit when the batch size is searched.
func (s *statements) sizes(name string, watts int) {
	s.Helper()
	limit, model := fmt.Sprint(watts), name+"@"+s.virt
	at := fmt.Sprintf("%s of several batch sizes within %d W", name, watts)
	const sized = `(?P<answer>` + modePattern + ` at batch size (?P<size>\d+))`
	const gain = `^does (?P<samples__per_s>[0-9.]+) samples per second, (?P<gain>.*) than .*: (?P<present>[0-9.]+) samples`
	answer := []string{`^` + sized + `  \(VIRTUAL`, `^per minibatch +(?P<time__ms>[0-9.]+) ms, (?P<energy__J>[0-9.]+) J`,
		`^the answer +● measured ✓ +(?P<sample__ms>[0-9.]+) +(?P<power__W>[0-9.]+) +[0-9.]+$`,
		`^the limit +(?P<standing>.*)$`, gain}
	s.command(at, []string{"tune", name, "--power-limit", limit, "--batch", "1,4,16", "--probes", "9"}, append(answer,
		`jtune: (?P<settings_of_the_search__>\d+) settings? measured,`,
		`model of all that is known: .*/(?P<model>[^/]+)\.model`)...)
	choose := s.command(at, []string{"choose", "--model", name, "--power-limit", limit}, answer...)
	folder := regexp.MustCompile(`(?m)^\S+-` + name + `-tune`).FindString(s.command(at, []string{"campaigns", "list"}))
	s.command(at, []string{"campaigns", "show", folder},
		append(answer, `^modes +(?P<settings_of_the_search__>\d+), \d+ usable`)...)
	report := strings.ReplaceAll(s.command(at, []string{"report", "--md", "--out", "-"}), `\`, "")
	s.says(at, "report", report, `^\*\*`+sized+`\*\*`, gain)
	found := regexp.MustCompile(`(?m)^(` + modePattern + `) at batch size (\d+)`).FindStringSubmatch(choose)
	mode, size := found[1], found[2]
	front := s.command(at, []string{"front", "--model", name, "--power-limit", limit, "--batch", size})
	if strings.Contains(front, "\n"+mode+" ") {
		s.says(at, "front", front, `^`+regexp.QuoteMeta(mode)+` +(?P<time__ms>[0-9.]+) +(?P<power__W>[0-9.]+) +`+
			`(?P<energy__J>[0-9.]+) +(?P<standing>\S.*?) +(?P<size>\d+) +(?P<sample__ms>[0-9.]+)$`)
	}
	s.command(at, []string{"choose", "--model", name, "--power-limit", limit, "--batch", size}, `^`+sized)
	s.command(name, []string{"models"}, `^(?P<model>`+regexp.QuoteMeta(model)+`) +gp +(?P<modes__>\d+)`+
		` +±(?P<time_error__pct>[0-9.]+) % +±(?P<power_error__pct>[0-9.]+) %`)
	s.command(name, []string{"models", "show", name}, `^name +(?P<model>\S+)$`, `^modes +(?P<modes__>\d+)`,
		`^time error +±(?P<time_error__pct>[0-9.]+) %`, `^power error +±(?P<power_error__pct>[0-9.]+) %`)
}

// versus records the comparisons with measured modes: those with predicted modes change with each model.
func (s *statements) versus(at, by, text string) {
	re := regexp.MustCompile(`(?m)^(\S.*?)  +● measured [✓✗] +([0-9.]+) `)
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		s.fact(at+", beside "+m[1], "time", m[2], by)
	}
}

// front records the front's statements about the answer: the same numbers, the same standing. The answer is not on the
// front if an unmeasured mode is predicted to be better in both.
func (s *statements) front(at, name, limit, mode string) {
	s.Helper()
	out := s.command(at, []string{"front", "--model", name, "--power-limit", limit})
	if strings.Contains(out, "\n"+mode+" ") {
		s.says(at, "front", out, `^(?P<answer>`+regexp.QuoteMeta(mode)+`) +(?P<time__ms>[0-9.]+) +(?P<power__W>[0-9.]+) +`+
			`(?P<energy__J>[0-9.]+) +(?P<standing>\S.*)$`)
	}
	s.command(at, []string{"predict", "--model", name, "--power-limit", limit, mode, "--csv"},
		`^\d+(?:,[^,]*){12},(?P<state>[a-z]+),`)
	s.command(at, []string{"choose", "--model", name, "--power-limit", limit, "--json"}, `^  "state": "(?P<state>[a-z]+)"`)
}

// campaign records the statements of the list and of the search's folder.
func (s *statements) campaign(at, name string, answer []string) {
	s.Helper()
	out := s.command(name, []string{"campaigns", "list"},
		`^\S+-`+name+`-tune +`+name+` .*→.*\) +finished +(?P<modes_of_the_search__>\d+) +\d+$`)
	folder := regexp.MustCompile(`(?m)^\S+-` + name + `-tune`).FindString(out)
	show := s.command(at, []string{"campaigns", "show", folder}, answer...)
	s.says(name, "campaigns show", show, `^modes +(?P<modes_of_the_search__>\d+), \d+ usable`)
	s.versus(at, "campaigns show", show)
}

// models records a model's errors and levers. After a pair has measured more it is another model, whose numbers may
// differ.
func (s *statements) models(name, model, since string) {
	s.Helper()
	of, whole := name+since, s.errors(name, model)
	s.command(of, []string{"models"}, `^(?P<model>`+regexp.QuoteMeta(model)+`) +gp +(?P<modes__>\d+)`+
		map[bool]string{true: ` +±(?P<time_error__pct>[0-9.]+) % +±(?P<power_error__pct>[0-9.]+) %`}[whole])
	show := s.command(of, []string{"models", "show", name}, `^name +(?P<model>\S+)$`, `^modes +(?P<modes__>\d+)$`)
	if whole {
		s.says(of, "models show", show, `^time error +±(?P<time_error__pct>[0-9.]+) %`,
			`^power error +±(?P<power_error__pct>[0-9.]+) %`)
	}
	s.levers(of, "explain", s.command(of, []string{"explain", "--model", name}))
	run := spread(s.command(of, []string{"run", name, "--minibatches", "60", "--no-record"}))
	s.levers(of, "run", run)
}

// errors reports whether a model's errors are known: with few modes they are not.
func (s *statements) errors(name, model string) bool {
	s.Helper()
	out := s.command(name, []string{"models"})
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(model) + ` +gp +\d+ +±[0-9.]+ %`).MatchString(out)
}

// levers records the cost of halving each setting of a mode, and which costs most.
func (s *statements) levers(name, by, text string) {
	re := regexp.MustCompile(`(?i)halving one setting of (` + modePattern + `): (.*?) \(predicted\)`)
	for _, m := range re.FindAllStringSubmatch(spread(text), -1) {
		s.fact(name+" in "+m[1], "levers", m[2], by)
		s.fact(name+" in "+m[1], "best lever", strings.Fields(m[2])[0], by)
	}
}

// pairs records whether both jobs fit memory together, from a measurement and from a prediction of a pair.
func (s *statements) pairs(train, infer string) {
	s.Helper()
	both := train + " and " + infer
	load := []string{"--rate", "2", "--latency", "1500"}
	for _, args := range [][]string{
		{"pair", "--predict", "--train", train, "--infer", infer},
		{"pair", "--models", train + "@" + s.virt + "," + infer + "@" + s.virt},
		{"pair", "--train", train, "--infer", infer, "--batch", "1"},
	} {
		out, code := s.run(append(args, load...)...)
		by := strings.Join(args, " ")
		fit := "yes"
		switch code {
		case 0, 5: // 5: no mode meets the limits
		case 4:
			fit = "no"
			s.says(of(train, 16), by, out, train+` needs (?P<needs__MB>\d+) MB`)
			s.says(of(infer, 1), by, out, infer+` at batch size 1 (?P<needs__MB>\d+) MB`)
			s.says("the board", by, out, `(?P<memory_free__MB>\d+) MB of the (?P<memory__MB>\d+) MB of`)
		default:
			s.Errorf("jtune %s: exit code %d\n%s", by, code, out)
		}
		s.fact(both, "fit together", fit, by)
	}
}
