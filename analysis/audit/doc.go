// Package audit judges a load generator by what the server saw of it.
package audit
