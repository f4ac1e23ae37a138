package torch_test

import (
	"fmt"
	"strings"

	"jtune/profiles/harness/torch"
)

// The command line of a built-in job with a default filled in, and the error in
// another job.
func ExampleJob() {
	job := torch.Job{Net: "resnet18", Set: "cifar10", Data: torch.Synthetic}.Over(torch.Job{Python: "python3.10"})
	fmt.Println(strings.Join(job.Command("/opt/jtune/torch"), " "))
	key, why := torch.Job{Net: "lenet6", Set: "cifar10"}.Fault()
	why, _, _ = strings.Cut(why, " mobilenet")
	fmt.Println(key+":", why)
	// Output:
	// python3.10 -B /opt/jtune/torch/train.py --net resnet18 --set cifar10 --data synthetic
	// net: net "lenet6" is none of [resnet18
}
