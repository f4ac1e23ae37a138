package profile_test

import (
	"fmt"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/page/profile"
	"jtune/tui/session/task"
)

// The page follows the task in the state and lists its modes, newest first.
func ExamplePage() {
	gpu := []tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz}
	space, err := tegra.NewSpace([]int{4}, []tegra.Freq{tegra.GHz}, gpu, []tegra.Freq{3200 * tegra.MHz})
	if err != nil {
		panic(err)
	}
	state := page.State{Keys: page.DefaultKeys(), Device: page.Device{Space: space}}
	state.Moment.Clock = tegra.RealClock()
	p := profile.New(page.ReaderOf(&state))

	task := &page.Task{Spec: task.Spec{Kind: task.Tuning, Planned: 3}}
	for _, mode := range space.Modes() {
		row := record.Row{Status: record.OK}
		row.Mode, row.TimeMS, row.PowerW = mode, 60/mode.GPU.GHz(), 20
		task.Rows = append(task.Rows, row)
	}
	state.Tasks.Own = task
	p.Update(page.TaskChanged{Task: task})
	p.Render(80, 22)
	fmt.Println(p.Copied())
	p.Key(pagetest.Key("down"))
	fmt.Println(p.Copied())
	// Output:
	// 4c/1.00C/0.60G/3.20M
	// 4c/1.00C/0.30G/3.20M
}
