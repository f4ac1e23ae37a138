package record

import (
	"slices"
	"strings"

	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Endings of the columns of samples.csv with a rail's voltage and current. They come last, for each rail that the board
// had when the file was begun; an older jtune's file has none.
const (
	voltsEnding   = "_v"
	amperesEnding = "_a"
)

// boardColumn is the column of samples.csv with what a sensor of the whole board read of a metric.
func boardColumn(m *metric.Metric) string { return m.Key + "_" + m.Suffix }

// boardColumns are the columns of all such sensors.
func boardColumns() (names []string) {
	for _, m := range metric.Sensed {
		names = append(names, boardColumn(m))
	}
	return names
}

// railColumns are the columns of these rails.
func railColumns(rails []string) (names []string) {
	for _, rail := range rails {
		names = append(names, rail+voltsEnding, rail+amperesEnding)
	}
	return names
}

// railsIn are the rails whose columns end a header, after those known and the batch size.
func railsIn(header []string) (rails []string) {
	header = unmarked(header)
	for len(header) >= 2 {
		rail, volts := strings.CutSuffix(header[len(header)-2], voltsEnding)
		other, amperes := strings.CutSuffix(header[len(header)-1], amperesEnding)
		if !volts || !amperes || rail != other {
			break
		}
		rails, header = append(rails, rail), header[:len(header)-2]
	}
	slices.Reverse(rails)
	return rails
}

// railsOfSamples are the rails whose columns samples.csv has, or gets where it is new.
func (r *Record) railsOfSamples() []string {
	if there := r.columnsOf(samplesName); there != nil {
		return railsIn(there)
	}
	return r.header.Device.Rails
}

// furtherValues are the further quantities of a sample's line, whose rails have the last of its columns.
func furtherValues(columns, line, rails []string) ([]tegra.Value, error) {
	var also []tegra.Value
	for _, m := range metric.Sensed {
		if i := slices.Index(columns, boardColumn(m)); i >= 0 {
			if v, ok := csvlines.Number(line[i]); ok {
				also = append(also, tegra.Value{Metric: m.Key, V: v})
			}
		}
	}
	list := make([]tegra.RailReading, len(rails))
	for i, name := range rails {
		r := tegra.RailReading{Name: name}
		for k, to := range []*tegra.Val[float64]{&r.Volts, &r.Amperes} {
			text := line[len(line)-2*(len(rails)-i)+k]
			if to.V, to.OK = csvlines.Number(text); !to.OK && text != "" {
				return nil, csvlines.Unreadable(name)
			}
		}
		r.PowerW = tegra.Val[float64]{V: r.Volts.V * r.Amperes.V, OK: r.Volts.OK && r.Amperes.OK}
		list[i] = r
	}
	return append(metric.Values(tegra.Reading{Rails: list}), also...), nil
}

// further puts a sample's values into those columns of its line, empty where they are not available.
func (r *Record) further(line []string, of tegra.Reading) []string {
	for _, m := range metric.Sensed {
		if i := slices.Index(r.sampleCodec.Columns, boardColumn(m)); i >= 0 {
			line[i] = optional(m.Board(of))
		}
	}
	fields := line[:len(line)-2*len(r.sampleRails)]
	for _, name := range r.sampleRails {
		i := slices.IndexFunc(of.Rails, func(x tegra.RailReading) bool { return x.Name == name })
		if i < 0 {
			fields = append(fields, "", "")
			continue
		}
		fields = append(fields, optional(of.Rails[i].Volts), optional(of.Rails[i].Amperes))
	}
	return fields
}
