// Package sessiontest opens virtual boards for the tests of the rooms above session.
package sessiontest
