package dialog_test

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

func ExampleWelcome() {
	fmt.Println(strings.TrimSpace(ansi.Strip(dialog.Welcome(page.DefaultKeys(), 40))))
	// Output: New here? t tunes, ? explains.
}
