package record

import (
	"errors"
	"slices"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/record/csvlines"
)

const (
	// mostBytes is the largest file of a folder that is read into memory.
	mostBytes = 128 << 20
	// mostRaw is the largest file of raw lines whose lines are read: all modes of the largest board take 3 GB.
	mostRaw = 4 << 30
	// mostRows is the most lines of modes.csv, of all kinds: three times the modes of the largest board.
	mostRows = 100_000
)

// most returns the size up to which a file of that name is read: modes.csv holds no raw data.
func most(name string) int64 {
	if name == modesName {
		return mostBytes / 2
	}
	return mostBytes
}

// errClosed is returned by writes to a record after Close.
var errClosed = errors.New("the campaign's record is closed")

var errRows = safefile.BoundError(modesName + " has more than " + text.Thousands(mostRows) + " rows")

// setCodecs reads the headers of the files that are there, and fixes the columns of all.
func (r *Record) setCodecs() {
	r.rowCodec = newRowCodec(r.names)
	r.runCodec = csvlines.NewCodec[runLine](columnsIn[runLine](r.columnsOf(runsName), runColumns))
	minibatches := minibatchColumns
	if r.header.Pair == nil {
		minibatches = minibatches[:slices.Index(minibatches, jobColumn)]
	}
	known := slices.Concat(r.sized(sampleColumns), boardColumns(), RailColumns(r.header.Device.Rails))
	r.sampleCodec = csvlines.NewCodec[sampleLine](columnsIn[sampleLine](r.columnsOf(samplesName), known))
	minibatches = columnsIn[minibatchLine](r.columnsOf(minibatchesName), r.sized(minibatches))
	r.minibatchCodec = csvlines.NewCodec[minibatchLine](minibatches)
	r.epochCodec = csvlines.NewCodec[epochLine](r.sized(epochColumns))
}

// columnsIn returns the columns of a file: those of its header, of which an older jtune wrote fewer, or all that are
// known for a new one.
func columnsIn[T any](header, known []string) []string {
	own := !slices.ContainsFunc(header, func(name string) bool { return !slices.Contains(known, name) })
	if c := csvlines.NewCodec[T](header); len(header) > 0 && own && c.Whole() {
		return header
	}
	return known
}
