// Package report writes what analysis found: a table for people, the summary
// as JSON, and one JSON line for each request.
package report
