package harness_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"jtune/profiles/harness"
)

func ExampleExec() {
	ctx := context.Background()
	job, err := harness.Exec(ctx, harness.ExecOptions{Command: []string{"sh", "-c", `
echo '{"event":"hello","protocol":1,"batch_size":16}'
echo 'loading: no event, goes to the log'
echo '{"event":"minibatch","epoch":0,"batch":0,"time_ms":61.5,"fetch_ms":3,"compute_ms":55}'
`}})
	if err != nil {
		log.Fatal(err)
	}
	defer job.Stop(ctx)
	for {
		e, err := job.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		switch e.Kind {
		case harness.Hello:
			fmt.Println("batch size", e.Info["batch_size"])
		case harness.Minibatch:
			fmt.Printf("%g ms: stall %g, compute %g, overhead %g\n", e.TimeMS, e.StallMS.V, e.ComputeMS.V,
				e.OverheadMS.V)
		}
	}
	// Output:
	// batch size 16
	// 61.5 ms: stall 3, compute 55, overhead 3.5
}
