# tare needs Linux, Go 1.26 and make. Modules come through the Go module proxy.

GO ?= go
BIN := .bin/tare

.PHONY: build run test check bench coverage fuzz peers clean

build:
	$(GO) build -o $(BIN) ./cmd/tare

# A first measurement: 1,000 requests/s for 10 s against the bundled simulator.
run: build
	$(BIN) run

test:
	$(GO) test ./...

# Each rule has its reason:
#   gofmt        one layout, no talk about it
#   vet          what the Go team holds to be a mistake
#   staticcheck  dead code (U1000), misuse of the standard library (SA), error
#                and doc comment form (ST1005, ST1019-ST1022), simplifications (S);
#                without ST1000, since package docs are tested by our own rule
#   race         streams, pacer and watchdog share an engine
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) -checks 'all,-ST1000' ./...
	$(GO) test -race -short ./...

# Wants two CPUs with nothing else on them. Debian's wrk is compared where it
# is installed.
bench:
	$(GO) test -count=1 -run TestCompare -v ./cmd/tare/bench -compare
	$(GO) test -run '^$$' -bench . -benchmem ./worker/... ./ipc/... ./analysis/...

# Whether 95 % intervals hold the truth in 95 % of 5,000 simulated runs.
coverage:
	$(GO) test -count=1 -run TestCoverage -v ./analysis/stats -coverage-runs 5000

# Every fuzz target for a while: FUZZTIME=5m make fuzz
FUZZTIME ?= 30s
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; done

# The load generators that tare audit and tare reproduce peers compare with, into
# .peers/; some 10 GB, never part of the build.
peers:
	./.peers.sh

clean:
	rm -rf .bin runs
