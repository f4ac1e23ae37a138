package tegra

// DiskFS is the real disk below a root folder ("/" for the machine itself).
// Absolute links resolve below the root and nothing leads out of it.
func DiskFS(root string) FS { panic("not yet") }
