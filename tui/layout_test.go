package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWidthIsThatOfPackageAnsi(t *testing.T) {
	for r := rune(1); r < 0x3000; r++ {
		for _, line := range []string{string(r), "a" + string(r) + "b", "─" + string(r) + "\u0301", string(r) + "\ufe0f", "e" + string(r) + "\u200d⣿"} {
			if got, want := width(line), ansi.StringWidth(line); got != want {
				t.Errorf("width(%q) = %d, want %d", line, got, want)
			}
		}
	}
	parts := []string{"12.3 W", "─┐", "⣿⡇", "\x1b[38;5;244m", "\x1b[m", "\x1b[1;3", "\x1b]0;title\a", "\x1b[2J", "é", "e\u0301", "日本", "👩‍🔬", "🇩🇪", "\u00ad", "\t", "\xff", "±7 %"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		if got, want := width(b.String()), ansi.StringWidth(b.String()); got != want {
			t.Fatalf("width(%q) = %d, want %d", b.String(), got, want)
		}
	}
}
