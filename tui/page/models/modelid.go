package models

import (
	"time"

	"jtune/tui/session/models"
)

// modelID is one state of one model's file: a list that was read again holds other pointers to the same models.
type modelID struct {
	name     string
	modified time.Time
}

func idOf(info models.Info) modelID { return modelID{info.Name, info.Modified} }
