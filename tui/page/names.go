package page

import (
	"strings"
)

// Name identifies a page: "front".
type Name string

// Title returns the page's name on the screen: "Front".
func (n Name) Title() string { return strings.ToUpper(string(n[:1])) + string(n[1:]) }

// Names of the pages.
const (
	Live    Name = "live"
	Train   Name = "train"
	Profile Name = "profile"
	Models  Name = "models"
	Front   Name = "front"
	Modes   Name = "modes"
)
