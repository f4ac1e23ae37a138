package measure

// What a search measures to compare its answer with (record.Asked.Baseline).
const (
	BothBaselines   = "present,preset" // the mode that the board is in, and the vendor's best preset for the goal
	PresentBaseline = "present"        // the mode that the board is in
	NoBaseline      = "none"
)
