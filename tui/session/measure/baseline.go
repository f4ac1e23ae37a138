package measure

// Baseline is what a search measures to compare its answer with.
type Baseline int

// Baselines.
const (
	BothBaselines   Baseline = iota // the mode that the board is in, and the vendor's best preset for the goal
	PresentBaseline                 // the mode that the board is in
	NoBaseline
)

// Baselines lists them in display order.
func Baselines() []Baseline { return []Baseline{BothBaselines, PresentBaseline, NoBaseline} }

func (b Baseline) String() string { return [...]string{"present,preset", "present", "none"}[b] }

// BaselineOf parses the text of String; BothBaselines for any other text, such as that of old campaigns.
func BaselineOf(text string) Baseline {
	for _, b := range Baselines() {
		if b.String() == text {
			return b
		}
	}
	return BothBaselines
}
