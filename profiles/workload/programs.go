package workload

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programFolders hold programs of inference that are often not in PATH.
func programFolders() []string {
	folders := []string{"/usr/src/tensorrt/bin"}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, "llama.cpp", "build", "bin"))
	}
	return folders
}

// located returns a program with its path if it is in one of programFolders but not in PATH.
func located(name string) string {
	if _, err := exec.LookPath(name); err == nil || strings.ContainsRune(name, '/') {
		return name
	}
	for _, folder := range programFolders() {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return name
}

// Found is the state of a built-in workload that runs a third-party program.
type Found struct {
	Workload string `json:"workload"`
	Program  string `json:"program"` // path, or the name where it was not found
	There    bool   `json:"there"`
	URL      string `json:"url"`   // of its server; "" for none
	Runs     bool   `json:"runs"`  // the server answers
	Model    string `json:"model"` // that it has loaded
	Why      string `json:"why"`   // what prevents it from being measured
}

// askWithin is the timeout of the query to one server.
const askWithin = 2 * time.Second

// Programs looks for the programs of the built-in inference workloads, and asks their servers.
func Programs(ctx context.Context) (found []Found, err error) {
	list, err := Load("")
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		if len(w.Command) == 0 || !w.Infers() {
			continue
		}
		f := Found{Workload: w.Name, Program: located(w.Command[0]), URL: w.Server.URL}
		if path, err := exec.LookPath(f.Program); err == nil {
			f.Program, f.There = path, true
		}
		if w.Serves() {
			ctx, cancel := context.WithTimeout(ctx, askWithin)
			asked, err := w.Discover(ctx)
			cancel()
			if f.Runs = err != nil || asked.Server.Model != ""; err != nil {
				f.Why = err.Error()
			}
			f.Model = asked.Server.Model
		}
		found = append(found, f)
	}
	return found, nil
}
