package published

import "testing"

func TestWorkloadOfASweepFile(t *testing.T) {
	t.Parallel()
	if got := workloadOf("orin_nano_train.csv", "ResNet"); got != "orin-nano resnet" {
		t.Errorf("a file that names its workload: got %q", got)
	}
	for name, want := range map[string]string{
		"mobnet_train_data_final.csv": "mobilenet",
		"MobileNet.csv":               "mobilenet",
		"lstm_train.csv":              "lstm",
		"orin_nano_resnet.csv":        "orin-nano resnet",
		"resnet_infer_data.csv":       "",
		"modes.csv":                   "",
		"/home/bert/sweeps/yolo.csv":  "yolo",
	} {
		if got := workloadOf(name, ""); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
