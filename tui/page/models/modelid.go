package models

import (
	"time"

	"jtune/tui/session/models"
)

// modelID identifies one state of a model's file: rereading the list creates new pointers to the same models.
type modelID struct {
	name     string
	modified time.Time
}

func idOf(info models.Info) modelID { return modelID{info.Name, info.Modified} }
