package workload_test

import (
	"fmt"
	"log"

	"jtune/profiles/workload"
)

func ExampleFind() {
	list, err := workload.Load("") // the built-in ones; else those of a configuration file too
	if err != nil {
		log.Fatal(err)
	}
	w, err := workload.Find(list, "resnet")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: batch size %d, %d minibatches per epoch\n", w.Name, w.Batch, w.MinibatchesPerEpoch())
	fmt.Println("at batch size 32:", w.AtBatch(32).MinibatchesPerEpoch())
	// Output:
	// resnet18: batch size 16, 3125 minibatches per epoch
	// at batch size 32: 1563
}
