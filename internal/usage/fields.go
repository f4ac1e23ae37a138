package usage

// Field is a value that can be given, named independently of where it is typed.
type Field string

// Device and files.
const (
	Device   Field = "device"
	Sysroot  Field = "file tree"
	Medium   Field = "medium"
	Fault    Field = "fault"
	Ambient  Field = "ambient"
	NoDevice Field = "no device"
	ReadOnly Field = "read only"
	Speed    Field = "speed"
	Config   Field = "configuration file"
	DataDir  Field = "data folder"
	Seed     Field = "seed"
)

// Workload.
const (
	Batch        Field = "batch size"
	Workers      Field = "workers"
	Weights      Field = "weights"
	Remote       Field = "remote server"
	Log          Field = "log"
	Pattern      Field = "pattern"
	TrustCommand Field = "trust the command"
	Epochs       Field = "epochs"
	PerEpoch     Field = "minibatches per epoch"
	Minibatches  Field = "minibatches"
)

// Load.
const (
	Load        Field = "load" // the rate and the arrivals
	Rate        Field = "rate"
	Arrivals    Field = "arrivals"
	Outstanding Field = "requests in flight"
	MaxWait     Field = "longest wait"
	Latency     Field = "latency"
)

// Limits and how they are kept.
const (
	PowerLimit  Field = "power limit"
	TimeLimit   Field = "time limit"
	EnergyLimit Field = "energy limit"
	Limit       Field = "limit"
	MaxSlowdown Field = "slowdown"
	Knee        Field = "knee"
	PowerAs     Field = "kind of power"
	IdlePower   Field = "idle power"
	Coverage    Field = "coverage"
	Strategy    Field = "strategy"
)

// Modes and how they are set.
const (
	Mode    Field = "mode"
	Modes   Field = "number of modes"
	Sample  Field = "random modes"
	Grid    Field = "grid"
	Filter  Field = "filter"
	List    Field = "list"
	Shard   Field = "shard"
	DVFS    Field = "DVFS"
	Fan     Field = "fan"
	KeepFan Field = "keep the fan"
	Force   Field = "force"
	AtBoot  Field = "at boot"
	Keep    Field = "keep"
)

// Campaigns and studies.
const (
	Out        Field = "output folder"
	Resume     Field = "resume"
	RedoFailed Field = "failed modes again"
	Repeat     Field = "repeats"
	Data       Field = "data folders"
	Meter      Field = "meter"
	Governor   Field = "governor"
	Against    Field = "second workload"
	ServeAt    Field = "serving hours"
	TrainAt    Field = "training hours"
)

// Models and what they are made of.
const (
	Method        Field = "method"
	Reference     Field = "reference"
	Phase         Field = "phase"
	EpochTimes    Field = "minibatch times"
	Runs          Field = "own runs"
	Sweeps        Field = "measured sweeps"
	LeaveOutStuck Field = "leave out stuck clocks"
)
