package models_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"jtune/tui/page"
	"jtune/tui/page/models"
	"jtune/tui/page/pagetest"
	modelsroom "jtune/tui/session/models"
)

// The page lists what the shell found, including files that are not models.
func ExamplePage() {
	state := page.State{Keys: page.DefaultKeys(), Moment: page.Moment{Now: time.Now}}
	p := models.New(page.ReaderOf(&state))
	p.Update(page.ModelsListed{List: []modelsroom.Info{
		{Name: "resnet18", Path: "/data/models/resnet18", Err: errors.New("not a model of this version")},
		{Name: "bert", Path: "/data/models/bert", Err: errors.New("permission denied")},
	}})
	p.Key(pagetest.Key("down"))
	fmt.Println(p.Copied())
	fmt.Println(strings.Contains(ansi.Strip(p.Render(80, 22)), "permission denied"))
	// Output:
	// /data/models/bert
	// true
}
