package widget

import (
	"image/color"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
)

// contrast returns WCAG 2.1's contrast ratio.
func contrast(a, b color.Color) float64 {
	lo, hi := luminance(a)+0.05, luminance(b)+0.05
	return max(lo, hi) / min(lo, hi)
}

// Default backgrounds of terminals.
var (
	darkGrounds = map[string]string{"black": "#000000", "VS Code": "#1e1e1e", "One Dark": "#282c34",
		"Dracula": "#282a36", "Solarized": "#002b36"}
	lightGrounds = map[string]string{"white": "#ffffff", "Solarized": "#fdf6e3", "GitHub": "#f6f8fa",
		"Gruvbox": "#fbf1c7"}
	darkest  = map[string]string{"black": "#000000", "VS Code": "#1e1e1e"}
	lightest = map[string]string{"white": "#ffffff"}
)

func TestThemeHasContrastOnItsBackgrounds(t *testing.T) {
	for _, c := range []struct {
		name    string
		grounds map[string]string
		least   float64
		light   bool
		high    bool
	}{
		{"dark", darkGrounds, 4.5, false, false},
		{"light", lightGrounds, 4.5, true, false},
		{"strong on dark", darkest, 7, false, true},
		{"strong on light", lightest, 7, true, true},
	} {
		for _, h := range hues {
			least := c.least
			if h.graphic {
				least = 3
			}
			is := h.dark
			switch {
			case c.high && c.light:
				is = h.highLight
			case c.high:
				is = h.highDark
			case c.light:
				is = h.light
			}
			for name, ground := range c.grounds {
				if got := contrast(is, lipgloss.Color(ground)); got < least {
					t.Errorf("%s: %s (%d) on %s %s has a contrast of %.2f, want %.1f", c.name, h.name, is, name, ground,
						got, least)
				}
			}
		}
	}
}

func TestThemeOfSixteenColoursHasContrastOnTheTextConsole(t *testing.T) {
	console := map[string]string{"30": "#000000", "31": "#aa0000", "32": "#00aa00", "33": "#aa5500", "34": "#0000aa",
		"35": "#aa00aa", "36": "#00aaaa", "37": "#aaaaaa", "90": "#555555", "91": "#ff5555", "92": "#55ff55",
		"93": "#ffff55", "94": "#5555ff", "95": "#ff55ff", "96": "#55ffff", "97": "#ffffff"} // VGA's
	for _, h := range hues {
		least, strong := 4.5, 6.0 // VGA has no red with 7 on black, and no magenta with 7 on white
		if h.graphic {
			least, strong = 0, 4.5
		}
		on := func(code string, ground color.Color) float64 {
			hex, known := console[code]
			if !known {
				t.Fatalf("%s has %q, no colour of 16", h.name, code)
			}
			return contrast(lipgloss.Color(hex), ground)
		}
		dark, highDark := on(h.dark16, color.Black), on(h.highDark16, color.Black)
		light, highLight := on(h.light16, color.White), on(h.highLight16, color.White)
		if dark < least || highDark < strong || highLight < strong || highDark < dark || highLight < light {
			t.Errorf("%s: contrast %.2f, strong %.2f on black; %.2f, strong %.2f on white; want %.1f, strong %.1f",
				h.name, dark, highDark, light, highLight, least, strong)
		}
	}
}

func TestThemeKnowsEachColourOfTheDarkPaletteByItsNumber(t *testing.T) {
	seen := map[ansi.IndexedColor]string{}
	for _, h := range hues {
		must.Equal(t, seen[h.dark], "", h.name)
		seen[h.dark] = h.name
	}
	for ink, style := range inkStyles {
		if c, ok := style.GetForeground().(ansi.IndexedColor); ok && seen[c] == "" {
			t.Errorf("ink %d has colour %d, which no theme knows", ink, c)
		}
	}
}

func TestThemePaintsAFrame(t *testing.T) {
	frame := StyleGood.Render("ok") + StyleDim.Render("grey")
	parse := func(table map[string]string) Theme {
		theme, key, err := ParseTheme(table)
		if err != nil {
			t.Fatal(key, err)
		}
		return theme
	}
	for _, c := range []struct {
		name           string
		theme          map[string]string
		light, sixteen bool
		want           string
	}{
		{"dark without an answer", nil, false, false, "38;5;114"},
		{"light as the terminal", nil, true, false, "38;5;22"},
		{"dark as asked for", map[string]string{"name": "dark"}, true, false, "38;5;114"},
		{"light as asked for", map[string]string{"name": "light"}, false, false, "38;5;22"},
		{"strong on dark", map[string]string{"name": "high-contrast"}, false, false, "38;5;120"},
		{"16 colours", nil, false, true, "[92m"},
		{"16 colours on light", nil, true, true, "[32m"},
		{"16 strong colours", map[string]string{"name": "high-contrast"}, false, true, "[97m"},
		{"16 strong colours on light", map[string]string{"name": "high-contrast"}, true, true, "[30m"},
		{"an own one", map[string]string{"good": "#0a0b0c"}, true, false, "38;2;10;11;12"},
		{"an own one by number", map[string]string{"good": "33"}, false, true, "38;5;33"},
	} {
		got := parse(c.theme).Painter(c.light, c.sixteen).Replace(frame)
		must.Contain(t, got, c.want)
	}
}

func TestParseThemeNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"name", "blue", "want one of auto, dark, light, high-contrast"},
		{"gut", "#ffffff", "want name or one of dim, "},
		{"good", "#fff", "want a colour such as"},
		{"good", "256", "a number of 0 to 255"},
	} {
		_, key, err := ParseTheme(map[string]string{c.key: c.value})
		if err == nil || key != c.key || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: %q, %v, want %q", c.key, c.value, key, err, c.want)
		}
	}
}

func TestThemeTakesTheBackgroundFromTheTerminal(t *testing.T) {
	for ground, want := range map[string]bool{"#000000": false, "#1e1e1e": false, "#002b36": false, "#ffffff": true,
		"#fdf6e3": true, "#dadada": true} {
		must.Equal(t, Light(lipgloss.Color(ground)), want, ground)
	}
	for value, want := range map[string]bool{"": false, "15;0": false, "0;15": true, "0;default;7": true,
		"0;8": false} {
		must.Equal(t, LightByEnv(env(map[string]string{"COLORFGBG": value})), want, value)
	}
}
