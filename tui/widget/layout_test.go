package widget

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
)

func TestWidthIsThatOfPackageAnsi(t *testing.T) {
	for r := rune(1); r < 0x3000; r++ {
		s := string(r)
		for _, line := range []string{s, "a" + s + "b", "─" + s + "\u0301", s + "\ufe0f", "e" + s + "\u200d⣿"} {
			must.Equal(t, Width(line), ansi.StringWidth(line), line)
		}
	}
	parts := []string{
		"12.3 W", "─┐", "⣿⡇", "±7 %",
		"\x1b[38;5;244m", "\x1b[m", "\x1b[1;3", "\x1b]0;title\a", "\x1b[2J",
		"é", "e\u0301", "日本", "👩‍🔬", "🇩🇪", "\u00ad", "\t", "\xff",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		if got, want := Width(b.String()), ansi.StringWidth(b.String()); got != want {
			t.Fatalf("width(%q) = %d, want %d", b.String(), got, want)
		}
	}
}

// A box takes its lines as Fit made them: measuring each again took half of the CPU time of a large screen.
func TestBoxAddsLittleToALine(t *testing.T) {
	of := func(lines int) float64 {
		line := StyleTitle.Render(strings.Repeat("▁▂▃ 12.5 W ", 8))
		text := Fit(strings.Repeat(line+"\n", lines), 96, lines)
		return testing.AllocsPerRun(20, func() { Box("title", "", text, 100, lines+2) })
	}
	if each := (of(40) - of(20)) / 20; each > 3 {
		t.Errorf("%.1f allocations per line", each)
	}
}
