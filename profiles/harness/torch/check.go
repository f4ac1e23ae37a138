package torch

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
)

// Versions are the versions of the built-in jobs' Python interpreter and its packages; "" for one that is missing.
type Versions struct {
	Python string `json:"python"`
	Where  string `json:"executable"`
	Torch  string `json:"torch"`
	Vision string `json:"torchvision"`
	Numpy  string `json:"numpy"`
	Pillow string `json:"PIL"`
	CUDA   string `json:"cuda"` // that PyTorch was built for
	GPU    string `json:"gpu"`  // that PyTorch can use
	Why    string `json:"torch_why"`
}

// Minimum versions for the scripts: PyTorch 1.8 of JetPack 4 is the oldest supported.
const (
	LeastPython = "3.6"
	LeastTorch  = "1.8"
)

// checkTime is how long an interpreter may take to import PyTorch: a minute on a Nano's SD card.
const checkTime = 3 * time.Minute

// Check asks the job's interpreter for its versions; folder gets the scripts.
func (j *Job) Check(ctx context.Context, folder string) (v Versions, err error) {
	if folder, err = Folder(folder); err != nil {
		return v, err
	}
	if _, err := Write(folder); err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, j.python(), "-B", filepath.Join(folder, "check.py"))
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return v, fmt.Errorf("%s: %w", text.OneLine(j.python()), err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return v, fmt.Errorf("%s does not print its versions: %w", text.OneLine(j.python()), err)
	}
	for _, field := range []*string{&v.Python, &v.Where, &v.Torch, &v.Vision, &v.Numpy, &v.Pillow, &v.CUDA, &v.GPU,
		&v.Why} {
		*field = text.OneLine(*field)
	}
	return v, nil
}

// Installed returns an error unless the job's interpreter finds PyTorch. It does not load it.
func (j *Job) Installed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	const find = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"
	cmd := exec.CommandContext(ctx, j.python(), "-B", "-c", find)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s finds no PyTorch: %w", text.OneLine(j.python()), err)
	}
	return nil
}

// AtLeast reports whether a version such as "1.13.0a0" is at least least, such as "1.8".
func AtLeast(version, least string) bool {
	number := func(text string, n int) int {
		parts := strings.Split(text, ".")
		if n >= len(parts) {
			return 0
		}
		digits := parts[n]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		v, _ := strconv.Atoi(digits)
		return v
	}
	for n := range 2 {
		if a, b := number(version, n), number(least, n); a != b {
			return a > b
		}
	}
	return true
}

// Set describes a data set on disk.
type Set struct {
	Title string
	Files string  // in its folder
	From  string  // where it comes from
	GB    float64 // published size, about
	Image bool    // pictures that must be decoded
}

// setsOnDisk are the known data sets by the name in a workload.
var setsOnDisk = map[string]Set{
	"mnist": {Title: "MNIST", GB: 0.05, From: "yann.lecun.com/exdb/mnist or a mirror",
		Files: "train-images-idx3-ubyte and train-labels-idx1-ubyte, gzipped or not"},
	"cifar10": {Title: "CIFAR-10", GB: 0.17, From: "www.cs.toronto.edu/~kriz/cifar.html",
		Files: "data_batch_1 to data_batch_5, the Python or the binary version"},
	"imagenet-val": {Title: "ImageNet validation images", GB: 6.7, From: "image-net.org (an account is needed)",
		Files: "50,000 pictures, in one folder or one for each class", Image: true},
	"gld23k": {Title: "Google Landmarks 23k", GB: 2.8, From: "the data of FedML (github.com/FedML-AI/FedML)",
		Files: "23,080 pictures, in one folder or one for each class", Image: true},
	"coco": {Title: "COCO minitrain", GB: 3.9, From: "github.com/giddyyupp/coco-minitrain, images of cocodataset.org",
		Files: "25,000 pictures in images/ and a text of \"class x y w h\" lines for each in labels/", Image: true},
	"squad": {Title: "SQuAD 2.0", GB: 0.04, From: "rajpurkar.github.io/SQuAD-explorer",
		Files: "train-v2.0.json, and vocab.txt of the model for its own words"},
	"wikitext": {Title: "WikiText", GB: 0.02, From: "the Hugging Face hub, wikitext", Files: "wiki.train.tokens"},
}

// DataSet returns the job's data set as it is on disk; ok is false for synthetic data.
func (j *Job) DataSet() (set Set, ok bool) {
	set, ok = setsOnDisk[j.Set]
	return set, ok && j.Data != Synthetic && !j.Infer
}
