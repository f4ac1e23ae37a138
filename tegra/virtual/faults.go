package virtual

// Faults are the troubles a virtual board can be given, at the start or while
// it runs. The zero value has none.
type Faults struct {
	// Files fail as told; the first whose pattern matches a path counts.
	Files []FileFault
	// RejectRaise refuses to raise a CPU or GPU limit above the one in force
	// with EINVAL, as boards did that the paper measured (method note d.2).
	RejectRaise bool
	// MissingRails names rails (by label) whose files have vanished.
	MissingRails []string
	// PinnedCores refuse to go offline with EBUSY.
	PinnedCores []int
	// StuckClocks lists knobs ("cpu", "gpu", "emc") whose hardware clock stays
	// where it is: limits can be written and read back, the clock does not follow.
	StuckClocks []string
	// DieAfter ends the workload with ErrDied after so many of its
	// minibatches, counted from its start; 0 never.
	DieAfter int
	// HangAfter makes the workload fall silent after so many; 0 never.
	HangAfter int
	// AmbientC is the air's temperature; 0 means 25 °C. Hot air brings thermal
	// throttling.
	AmbientC float64
	// FanStuck leaves the fan standing whatever is written.
	FanStuck bool
}

// FileFault is what goes wrong with the files that a pattern matches.
type FileFault struct {
	Pattern string // as path.Match takes, on absolute paths
	Read    error  // reading gives this error (syscall.EIO, EAGAIN, …)
	Write   error  // writing gives this error
	Garbage string // reading gives this text instead
	Stuck   bool   // writing succeeds and changes nothing
	Times   int    // how many uses are hit, then the fault is over; 0 all
}
