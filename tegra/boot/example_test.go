package boot_test

import (
	"fmt"
	"os"
	"path/filepath"

	"jtune/tegra/boot"
)

// Install enables the unit in a system below any root; Remove undoes it.
func ExampleDir() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	if err := os.MkdirAll(filepath.Join(root, "etc/systemd/system"), 0o755); err != nil {
		panic(err)
	}
	text, err := boot.Unit{Program: "/usr/local/bin/jtune", Mode: "12c/2.20C/1.30G/3.20M"}.Text()
	if err != nil {
		panic(err)
	}
	fmt.Println(boot.Command(text))

	dir, err := boot.Open(root)
	if err != nil {
		panic(err)
	}
	defer dir.Close()
	if err := dir.Install(text); err != nil {
		panic(err)
	}
	fmt.Println(dir.Enabled())
	fmt.Println(dir.Remove())
	fmt.Println(dir.Remove()) // a second time
	// Output:
	// /usr/local/bin/jtune apply 12c/2.20C/1.30G/3.20M --yes --device=jetson --log-file=/var/log/jtune-mode.log
	// true <nil>
	// <nil>
	// no mode of jtune is applied at boot
}
