package safefile

// Name makes a name, such as a workload's, safe as part of a file name.
func Name(name string) string {
	out := []rune(name)
	for i, r := range out {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.' && i > 0:
		default:
			out[i] = '_'
		}
	}
	return string(out)
}
