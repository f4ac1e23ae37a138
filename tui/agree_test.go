package tui_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

// boardsOfAgreement are boards with limits of their presets, in the order in which the test steps Front's limit by 1 W.
var boardsOfAgreement = []struct {
	board  string
	tuned  int   // the limit to tune for, in W
	limits []int // ascending
	long   bool  // only with JTUNE_LONG
}{
	{"xavier-nx", 12, []int{10, 11, 12, 15}, false},
	{"agx-orin", 30, []int{20, 24, 30, 36}, true},
	{"orin-nano", 9, []int{7, 8, 9, 11}, true},
}

// The screens of the real program show the same as its commands print: the answer to a limit, its numbers and standing,
// its savings against MAXN, the present mode and the presets (Front, choose, front), the present mode and its name
// (Live, device), a model's errors (Models, models), and what decides the time (Models, advice).
func TestTmuxNoScreenContradictsACommand(t *testing.T) {
	for _, c := range boardsOfAgreement {
		t.Run(c.board, func(t *testing.T) {
			t.Parallel()
			if c.long && os.Getenv("JTUNE_LONG") == "" {
				t.Skip("JTUNE_LONG runs the other boards")
			}
			s, jtune := onBoard(t, c.board, "resnet18", "--power-limit", fmt.Sprint(c.tuned))
			model := "resnet18@virtual-" + c.board
			agreeOnPresent(t, s, jtune)
			agreeOnModels(t, s, jtune, model)
			s.press("4", "Enter")
			s.sees("loaded " + model)
			s.press("5")
			at := limitOf(t, s.sees("best within the limit"))
			for _, limit := range c.limits {
				for ; at < limit; at++ {
					s.press("]")
				}
				for ; at > limit; at-- {
					s.press("[")
				}
				s.press("c")
				s.sees(fmt.Sprintf("limit %d W", limit), "best within the limit")
				agreeOnAnswer(t, s, jtune, model, limit)
			}
		})
	}
}

// loadsOfAgreement are limits with a load, one of which no mode meets, and Front's text for the load.
var loadsOfAgreement = [][2]string{
	{"9 W, p99 300 ms, 20/s", "p99 at 20/s, Poisson"},
	{"12 W, p95 200 ms, 25/s, uniform", "p95 at 25/s, uniform"},
	{"p99 150 ms, 10/s, wait 10 ms", "p99 at 10/s, Poisson"},
	{"9 W, p99 5 ms, 20/s", "p99 at 20/s, Poisson"},
}

// Front shows under a load what choose and front print: the mode, its power, latency and standing.
func TestTmuxNoScreenContradictsACommandUnderALoad(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("the long form; the pages alone are held against the same answer by default")
	}
	t.Parallel()
	const model = "mobilenet-infer@virtual-xavier-nx"
	s, jtune := onBoard(t, "xavier-nx", "mobilenet-infer", "--rate", "20", "--latency", "300")
	s.press("4")
	s.sees("▸"+model, "About")
	s.press("Enter")
	s.sees("loaded " + model)
	s.press("5")
	for _, asked := range loadsOfAgreement {
		line, load := asked[0], asked[1]
		s.press("i", "C-u")
		s.tmux("send-keys", "-l", line)
		s.press("Enter")
		said := jtune("choose", "--model", model, "--limit", line)
		mode, _, _ := strings.Cut(said, " ")
		screen := s.sees("limit "+line, load, "│ "+mode+" ") // once the load is computed
		_, card, _ := strings.Cut(screen, "┌─ ")
		card = words(card)
		state := standing.FindStringSubmatch(said)
		if !strings.Contains(card, mode+" ") || state == nil || !strings.Contains(card, state[1]) {
			t.Errorf("%s: Front shows\n%s\nchoose says\n%s", line, screen, said)
			continue
		}
		under := underLoad.FindStringSubmatch(said)
		shown := shownLatency.FindStringSubmatch(card)
		if under == nil || shown == nil || !alike(shown[1], under[1]) {
			t.Errorf("%s: Front shows the latency %v, choose says %v:\n%s", line, shown, under, said)
		}
		front := jtune("front", "--model", model, "--limit", line)
		for row := range strings.Lines(front) {
			if strings.HasPrefix(row, mode+" ") && !strings.Contains(row, state[1]) {
				t.Errorf("%s: front says %q, choose %q", line, row, state[1])
			}
		}
	}
}

var (
	underLoad    = regexp.MustCompile(`(?m)^under .*? p9[0-9] ([0-9.]+) ms`)
	shownLatency = regexp.MustCompile(`([0-9.]+) ms p9[0-9]`)
)

// onBoard tunes with a command on a virtual board, then opens the screens on the same data.
func onBoard(t *testing.T, board string, tuned ...string) (*terminal, func(args ...string) string) {
	t.Helper()
	heard := hear(t, board)
	jtune := func(args ...string) string {
		t.Helper()
		cmd := heard.jtune(args...)
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); err != nil && code != 5 { // 5: no mode meets the limit
			t.Fatalf("jtune %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	jtune(append([]string{"tune"}, tuned...)...)
	return heard.open(), jtune
}

// limitOf returns the limit on a screen of Front, in whole watts.
func limitOf(t *testing.T, screen string) (watts int) {
	t.Helper()
	if _, err := fmt.Sscanf(regexp.MustCompile(`limit (\d+) W`).FindString(screen), "limit %d", &watts); err != nil {
		t.Fatalf("no limit on Front:\n%s", screen)
	}
	return watts
}

// words returns a text's words without the lines of panels.
func words(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "\u00a0", " ").Replace(text)), " ")
}

// agreeOnPresent compares the mode on Live, its name and its clocks with device's.
func agreeOnPresent(t *testing.T, s *terminal, jtune func(...string) string) {
	t.Helper()
	now := regexp.MustCompile(`(?m)^now +(\S+(?: = .+)?), (free|locked)`).FindStringSubmatch(jtune("device"))
	if now == nil {
		t.Fatal("device does not say what is set now")
	}
	s.press("1")
	s.agrees(func(screen string) (wrong []string) {
		shown := regexp.MustCompile(`mode (\S+(?: = \S+)?).* clocks: (\S+)`).FindStringSubmatch(words(screen))
		if shown == nil || shown[1] != now[1] || shown[2] != now[2] {
			wrong = append(wrong, fmt.Sprintf("device says %q, Live %q", now, shown))
		}
		return wrong
	})
}

// agrees waits until a screen has no mismatch. While a frame is being written tmux shows half of it, possibly for long
// on a busy machine.
func (s *terminal) agrees(wrong func(screen string) []string) {
	s.t.Helper()
	var last []string
	screen, ok := s.until(func(screen string) bool {
		last = wrong(screen)
		return len(last) == 0
	})
	if !ok {
		s.t.Errorf("%s\n%s", strings.Join(last, "\n"), screen)
	}
}

func agreeOnModels(t *testing.T, s *terminal, jtune func(...string) string, model string) {
	t.Helper()
	decides, _, _ := strings.Cut(jtune("advice", "--model", model), "\n")
	s.press("4")
	show := jtune("models", model)
	number := regexp.MustCompile(`(?:time|power) error +(±[0-9.]+ %)`).FindAllStringSubmatch(show, -1)
	for _, n := range number {
		s.sees("cross-validated errors", n[1])
	}
	must.Equal(t, len(number), 2, show)
	s.press("e", "e") // the plot, then the description
	s.agrees(func(screen string) (wrong []string) {
		if !strings.Contains(words(screen), decides) {
			wrong = append(wrong, fmt.Sprintf("Models does not say %q", decides))
		}
		return wrong
	})
	s.press("e")
}

var (
	figures = regexp.MustCompile(`(?m)^the answer +[●○] (fitted|predicted|measured) [✓✗] +([0-9.]+)(?: \([^)]*\))? +` +
		`([0-9.]+)(?: \([^)]*\))? +([0-9.]+)$`)
	standing = regexp.MustCompile(`(?m)^the limit +(.*)$`)
	beside   = regexp.MustCompile(`(?m)^(\S+(?: = \S+)?) +[●○] (?:predicted|measured) [✓✗] +([0-9.]+) `)
)

// alike reports whether two printed numbers can be the same value, each rounded to its decimals.
func alike(a, b string) bool {
	rounding := func(s string) float64 {
		_, decimals, _ := strings.Cut(s, ".")
		return 0.51 * math.Pow10(-len(decimals))
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= max(rounding(a), rounding(b))
}

func agreeOnAnswer(t *testing.T, s *terminal, jtune func(...string) string, model string, limit int) {
	t.Helper()
	said := jtune("choose", "--model", model, "--power-limit", fmt.Sprint(limit))
	s.agrees(func(screen string) (wrong []string) {
		for _, what := range mismatches(screen, said) {
			wrong = append(wrong, fmt.Sprintf("%d W: %s; choose says\n%s", limit, what, said))
		}
		return wrong
	})
	mode, _, _ := strings.Cut(said, " ")
	state := standing.FindStringSubmatch(said)
	front := jtune("front", "--model", model, "--power-limit", fmt.Sprint(limit))
	for line := range strings.Lines(front) {
		if strings.HasPrefix(line, mode+" ") && !strings.Contains(line, state[1]) {
			t.Errorf("%d W: front says %q, choose %q", limit, line, state[1])
		}
	}
}

// mismatches returns the differences between Front's card of the answer and choose.
func mismatches(screen, said string) (wrong []string) {
	mode, _, _ := strings.Cut(said, " ")
	_, card, _ := strings.Cut(screen, "best within the limit")
	card = words(card)
	state := standing.FindStringSubmatch(said)
	if !strings.Contains(card, mode) || state == nil || !strings.Contains(card, state[1]) {
		return []string{"Front shows another answer"}
	}
	rows := figures.FindAllStringSubmatch(said, -1)
	columns := strings.Contains(card, "measured off") // the prediction, then the reading
	for _, r := range rows {
		for k, unit := range []string{"ms/step", "W", "J/step"} {
			shown := regexp.MustCompile(`([0-9.]+) ` + unit + ` `).FindStringSubmatch(card)
			if columns {
				shown = regexp.MustCompile(unit + ` ([0-9.]+) ([0-9.]+) `).FindStringSubmatch(card)
				if r[1] == "measured" {
					shown = shown[min(1, len(shown)):]
				}
			}
			if len(shown) < 2 || !alike(shown[1], r[2+k]) {
				wrong = append(wrong, fmt.Sprintf("Front shows %v %s, choose says %s %s", shown, unit, r[1], r[2+k]))
			}
		}
		if !strings.Contains(card, r[1]) && columns {
			wrong = append(wrong, fmt.Sprintf("what choose calls %s is called otherwise on Front", r[1]))
		}
	}
	compared := 0
	for _, b := range beside.FindAllStringSubmatch(said, -1) {
		shown := regexp.MustCompile(regexp.QuoteMeta(b[1]) + `\D* ([0-9.]+) `).FindStringSubmatch(card)
		if shown == nil || !alike(shown[1], b[2]) {
			wrong = append(wrong, fmt.Sprintf("%s with %s ms is not on Front", b[1], b[2]))
		}
		compared++
	}
	if len(rows) == 0 || compared == 0 {
		wrong = append(wrong, "there is nothing to compare")
	}
	return wrong
}
