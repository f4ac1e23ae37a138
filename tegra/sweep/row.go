package sweep

import (
	"hash/maphash"
	"slices"

	"jtune/tegra"
)

// Row is one line of a sweep file.
type Row struct {
	tegra.Measured                // Batch is 0 if the file has no bs column
	Line           int            // in the file, from 1
	Preset         tegra.Val[int] // id of the preset that a list of modes names
	// Extra holds the text of the unknown columns, in the order of Table.Extra.
	Extra []string
}

// hashSeed is the seed of Row.hash.
var hashSeed = maphash.MakeSeed()

// hash is equal for identical rows.
func (r *Row) hash() uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	maphash.WriteComparable(&h, r.reading())
	for _, text := range r.Extra {
		h.WriteString(text)
		h.WriteByte(',')
	}
	return h.Sum64()
}

// alike reports whether two rows are identical in every digit.
func (r *Row) alike(other Row) bool {
	return r.reading() == other.reading() && slices.Equal(r.Extra, other.Extra)
}

// reading returns the measurement in comparable form, since NaN differs from itself.
func (r Row) reading() tegra.Measured {
	if !r.HasPower() {
		r.PowerW = 0
	}
	return r.Measured
}
