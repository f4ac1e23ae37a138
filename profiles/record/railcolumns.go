package record

import (
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Endings of the columns with a rail's voltage and current, as samples.csv has them for each rail that the board had
// when the file was begun; an older jtune's file has none.
const (
	voltsEnding   = "_v"
	amperesEnding = "_a"
)

// MostRails is the most rails that are read of a line.
const MostRails = 64

// Rails are the columns of a line with voltages and currents.
type Rails []tegra.RailReading

// Column implements csvlines.Named.
func (r *Rails) Column(name string) csvlines.Form {
	rail, volts := strings.CutSuffix(name, voltsEnding)
	if other, amperes := strings.CutSuffix(name, amperesEnding); amperes {
		rail = other
	} else if !volts {
		return nil
	}
	rail = text.OneLine(rail)
	i := slices.IndexFunc(*r, func(x tegra.RailReading) bool { return x.Name == rail })
	if i < 0 && len(*r) == MostRails {
		return nil
	}
	if i < 0 {
		i, *r = len(*r), append(*r, tegra.RailReading{Name: rail})
	}
	if volts {
		return (*csvlines.Signed)(&(*r)[i].Volts)
	}
	return (*csvlines.Signed)(&(*r)[i].Amperes)
}

// RailColumns are the columns of these rails.
func RailColumns(rails []string) (names []string) {
	for _, rail := range rails {
		names = append(names, rail+voltsEnding, rail+amperesEnding)
	}
	return names
}

// boardColumn is the column of samples.csv with what a sensor of the whole board read of a metric.
func boardColumn(m *metric.Metric) string { return m.Key + "_" + m.Suffix }

// boardColumns are the columns of all such sensors.
func boardColumns() (names []string) {
	for _, m := range metric.Sensed {
		names = append(names, boardColumn(m))
	}
	return names
}

// Column implements csvlines.Named: the columns of the board's sensors and of the rails.
func (l *sampleLine) Column(name string) csvlines.Form {
	i := slices.IndexFunc(metric.Sensed, func(m *metric.Metric) bool { return boardColumn(m) == name })
	if i < 0 {
		return l.rails.Column(name)
	}
	if l.sensors == nil {
		l.sensors = make([]tegra.Val[float64], len(metric.Sensed))
	}
	return (*csvlines.Signed)(&l.sensors[i])
}

// takes puts what the rails and the board's other sensors read into a line.
func (l *sampleLine) takes(of tegra.Reading) {
	l.rails = slices.Clip(of.Rails)
	for _, m := range metric.Sensed {
		l.sensors = append(l.sensors, m.Board(of))
	}
}

// further are the further quantities of a setting in a line.
func (l *sampleLine) further() (also []tegra.Value) {
	for i := range l.rails {
		r := &l.rails[i]
		r.PowerW = tegra.Val[float64]{V: r.Volts.V * r.Amperes.V, OK: r.Volts.OK && r.Amperes.OK}
	}
	also = metric.Values(tegra.Reading{Rails: l.rails})
	for i, v := range l.sensors {
		if v.OK {
			also = append(also, tegra.Value{Metric: metric.Sensed[i].Key, V: v.V})
		}
	}
	return also
}
