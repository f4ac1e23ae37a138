package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"jtune/internal/report"
)

// listCmd is `jtune list`.
type listCmd struct{ *app }

func newList(a *app) *cobra.Command {
	c := a.command("list", nil, (&listCmd{a}).run)
	c.ValidArgs = []string{"campaigns", "models", "workloads", "device"}
	return c
}

func (c *listCmd) run(ctx context.Context) error {
	var doc report.Object
	out := c.out
	for i, of := range []struct {
		name  string
		print func(context.Context) error
	}{
		{"campaigns", (&campaignsCmd{app: c.app}).list},
		{"models", (&modelsCmd{app: c.app}).list},
		{"workloads", workloadsCmd{c.app}.run},
		{"device", (&deviceCmd{app: c.app}).run},
	} {
		var b bytes.Buffer
		if c.asJSON {
			c.out = &b
		} else {
			fmt.Fprintf(out, "%s%s:\n", map[bool]string{true: "\n"}[i > 0], of.name)
		}
		err := of.print(ctx)
		c.out = out
		if err != nil {
			return err
		}
		if c.asJSON {
			doc = append(doc, [2]any{of.name, json.RawMessage(b.Bytes())})
		}
	}
	if c.asJSON {
		return printJSON(out, doc)
	}
	return nil
}
