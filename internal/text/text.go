package text

import (
	"fmt"
	"strings"
)

func JoinInts(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }
