# Everything that is done with the project. `make help` lists it.

GO        ?= go
BIN       := bin/drover
LINT      := bin/golangci-lint
LINT_VERSION := v2.12.2
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# As the programs of a release are linked, so that what is measured is what is given away.
LDFLAGS   := $(shell sed -n 's/^const linkerFlags = "\(.*\)"$$/\1/p' release/program.go)$(VERSION)

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## Run the service with a simulated fleet to try out
	@echo 'Building the console and the program: minutes the first time, seconds after that.'
	@$(MAKE) --no-print-directory build
	$(BIN) demo

.PHONY: build
build: console ## Build the program into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/drover

# The console is built into web/dist, which the program embeds: with Node by Vite,
# without Node not at all, and CONSOLE=console.tar.gz takes one that was built before.
CONSOLE   ?=
NODE_OK   := $(shell node -e 'const [a,b]=process.versions.node.split(".").map(Number);console.log(a>20||(a===20&&b>=19)?"yes":"")' 2>/dev/null)
WEB_FILES := $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' -not -path 'web/out/*' -not -path 'web/test/*' -not -path '*/generated/*' -not -name '*.go' -not -name 'schema.d.ts' -not -name openapi.json)

.PHONY: console
ifneq ($(CONSOLE),)
console:
	rm -rf web/dist/* && tar -xzf $(CONSOLE) -C web/dist
else ifeq ($(NODE_OK),)
console:
	@echo "warning: no Node 20.19 or newer was found: the program is built without its console" >&2
else
console: web/out/.stamp ## Build the console into web/dist/
endif

web/out/.stamp: $(WEB_FILES) web/node_modules/.stamp web/openapi.json
	cd web && npm run --silent types && npm run --silent build
	@touch $@

web/node_modules/.stamp: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The document is made at each build and replaced where it changed, so the
# console's types are never those of another interface.
web/openapi.json: always
	@$(GO) run -trimpath ./test/openapi > $@.new && { cmp -s $@.new $@ || cp $@.new $@; } && rm $@.new

.PHONY: always
always:

.PHONY: console-archive
console-archive: check-console ## Pack the built console for those who build without Node
	tar -czf bin/console.tar.gz --exclude .gitkeep -C web/dist .

.PHONY: check-console
check-console: console ## Fail where the program would be built without its console
	@test -f web/dist/index.html.br || { echo "the console is not built" >&2; exit 1; }

.PHONY: lint-console
lint-console: web/out/.stamp ## Check the console's types, rules and style
	cd web && npm run --silent lint && npm run --silent check

# The version stands in client/version.go. RELEASEFLAGS='-sign KEY' signs the sums with an ssh key.
.PHONY: release
release: check-console client-typescript ## Make all artefacts of a release in dist/, of what is in the commit
	cd release && $(GO) run . -root .. -out ../dist $(RELEASEFLAGS)

.PHONY: release-check
release-check: ## Make a release twice, in two folders, the second compiling everything, and compare each byte
	./release/check

.PHONY: run
run: build ## Run the service with an embedded database in ./drover-data
	$(BIN) serve

.PHONY: test
test: test-tools test-go test-simulate test-release test-chart test-openapi test-clients test-alerts test-console test-size ## Run every test, on SQLite and on PostgreSQL, with the race detector

.PHONY: test-tools
test-tools: ## Install what the tests need where it is missing
	@./scripts/test-tools

# SQLite is C translated to Go: with the race detector's calls in each of its reads and
# writes of memory it is ten times slower, and what is to be checked is our own code. So
# are expressions, packing and hashing, which share nothing.
UNCHECKED := modernc.org/sqlite modernc.org/libc modernc.org/memory regexp github.com/klauspost/compress golang.org/x/crypto github.com/alecthomas/kong
RACE := -race $(foreach m,$(UNCHECKED),-gcflags=$(m)/...=-race=false)

# The packages that take longest begin first, and one more package than there are cores is
# tested at a time, because tests wait as well as work. Their databases lie in memory where
# there is room, which saves a third of the time; -trimpath lets one checkout use what
# another has compiled; what a debugger would need is not linked.
LONGEST   := ./test/e2e ./test/contract ./internal/ingest/collect ./cmd/drover ./internal/provider/declared ./internal/store
TEST_TMP  := $(shell test -w /dev/shm && test "$$(df -Pk /dev/shm | awk 'NR == 2 { print $$4 }')" -gt 8000000 && echo TMPDIR=/dev/shm GOTMPDIR=$${TMPDIR:-/tmp})
TEST      := CGO_ENABLED=1 $(TEST_TMP) $(GO) test -trimpath -ldflags=-w -timeout 30m

.PHONY: test-go
test-go:
	$(TEST) $(RACE) -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) $(TESTFLAGS) $(LONGEST) ./...

# What is run on Citus, a coordinator and two workers: DROVER_TEST_CITUS names the folder with the
# programs of a PostgreSQL that has it. Tests that stay on one PostgreSQL are listed in
# internal/store/storetest/citus.go.
CITUS := ./internal/store/... ./internal/events/deliver ./internal/ingest/collect ./test/contract

.PHONY: test-citus
test-citus: ## Run tests on Citus, whose programs DROVER_TEST_CITUS names
	@test -x "$$DROVER_TEST_CITUS/postgres" || { echo "DROVER_TEST_CITUS is to name the folder with the programs of a PostgreSQL that has Citus" >&2; exit 1; }
	$(TEST) -p 1 -tags citus -run '/^postgres' $(CITUS) $(TESTFLAGS)
	$(TEST) -tags citus ./test/e2e -run '^TestCitus' $(TESTFLAGS)

# Worlds and fleets that the race detector would take minutes for.
.PHONY: test-simulate
test-simulate:
	$(TEST) ./test/simulate $(TESTFLAGS)
	$(TEST) ./internal/provider/... -run '^TestConformance' $(TESTFLAGS)

.PHONY: simulate
simulate: ## Simulate the service from random seeds until stopped; SEED=n repeats one, TRACE=file keeps what happened
	$(GO) test ./test/simulate -run TestSeeds -count 1 -timeout 0 -v $(if $(SEED),-seed $(SEED) $(if $(TRACE),-story $(abspath $(TRACE))),-forever)

.PHONY: copies
copies: ## Hold copies against the lists after a thousand random interleavings on each database
	$(GO) test ./internal/store -run TestCopyEqualsTheService -count 1 -timeout 0 -interleavings 1000

.PHONY: simulate-plants
simulate-plants: ## Plant faults in copies of the project and show that the simulation finds each
	./test/simulate/plant.sh

.PHONY: former
former: ## Record the statements of this release, to which the next one's schema is held
	mkdir -p internal/store/testdata/former
	recorded=$$(mktemp -d) && \
	RECORD_STATEMENTS=$$recorded $(GO) test -count 1 ./internal/... && \
	$(GO) test ./internal/store -count 1 -run TestFormerRelease -recorded $$recorded; \
	status=$$?; rm -rf $$recorded; exit $$status

.PHONY: beside
beside: ## Run the program of an earlier commit beside this one on one PostgreSQL, as in a rolling upgrade; FORMER=commit
	former=$$(mktemp -d) && git archive $(FORMER) | tar -x -C $$former && (cd $$former && $(GO) build -o drover ./cmd/drover) && \
	$(GO) test ./test/e2e -tags faults -run TestFormerBeside -count 1 -timeout 0 -v -former $$former/drover; \
	status=$$?; rm -rf $$former; exit $$status

FAULTS ?= 5
.PHONY: faults
faults: ## Make faults around two real processes on one PostgreSQL, FAULTS minutes long, and check all that was answered
	$(GO) test ./test/e2e -tags faults -run TestFaults -count 1 -timeout 0 -v -length $(FAULTS)m $(if $(SEED),-seed $(SEED))

.PHONY: failover
failover: ## Kill a PostgreSQL under load, promote its standby, and show how long it took and what was lost
	$(GO) test ./test/e2e -tags faults -run TestFailover -count 1 -timeout 0 -v

ROUNDS ?= 20
.PHONY: crash
crash: ## Kill the service and packing ROUNDS times on each database, and check that nothing is lost or doubled; SEED=n for other moments
	$(GO) test ./test/e2e -run TestPackThroughKills -count 1 -timeout 0 -v -pack-rounds $(ROUNDS) $(if $(SEED),-pack-seed $(SEED))

.PHONY: test-console
test-console: build lint-console ## Test the console: its units, and its journeys in a real Chromium against the built program
	cd web && npm run --silent unit && npm run --silent e2e

# The release has a module of its own: what packs is no part of what is packed.
.PHONY: test-release
test-release: ## Pack a small program twice, in two folders, and compare each byte
	cd release && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

# With the console, as a release builds it. Where the machine is of that kind only linking is left to do. What looks methods
# up by a name known only at run time makes the linker keep every exported method there is: 4.5 MiB.
.PHONY: test-size
test-size: check-console ## Hold the program for linux-amd64 to the size that a release may have
	CGO_ENABLED=0 GOFLAGS= GOOS=linux GOARCH=amd64 GOAMD64=v1 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS) -dumpdep' -o bin/drover-linux-amd64 ./cmd/drover \
		> bin/linked.txt 2>&1 || { tail bin/linked.txt; exit 1; }
	! grep -m 3 '<ReflectMethod>' bin/linked.txt
	most=$$(($$(sed -n 's/^\tmaxProgram *= //p' release/program.go))) && size=$$(wc -c < bin/drover-linux-amd64) && echo "$$size of $$most bytes" && test "$$size" -le "$$most"

# So has the chart: helm is no part of the service. The linter would read all of Kubernetes for two files.
.PHONY: test-chart
test-chart: ## Lint the Helm chart, render it in several ways, and hold it to Kubernetes' types and to rules
	cd deploy/helm && test -z "$$(gofmt -l .)" && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

.PHONY: test-openapi
test-openapi: ## Lint the OpenAPI document, generate clients from it, and hold every answer of the contract to it with Prism
	$(GO) run -trimpath ./test/openapi > test/openapi/openapi.json
	cd test/openapi && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent lint && ./generate
	$(TEST) -tags prism -run '^TestPrism$$' ./test/contract

.PHONY: client-typescript
client-typescript:
	$(GO) run -trimpath ./test/openapi > clients/typescript/openapi.json
	cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent types && npm run --silent build

.PHONY: test-clients
test-clients: client-typescript ## Pack the clients, install them where nothing else is, and run their tests and a whole journey there
	$(TEST) -tags clients -run '^TestPackedClients$$' ./test/e2e

.PHONY: test-alerts
test-alerts: ## Hold the alerts to series of a service that is well, and of each fault
	cd deploy/monitoring && promtool check rules alerts.yml && promtool test rules alerts_test.yml

.PHONY: test-outside
# Not a part of make test: DuckDB is 70 MB, and its lock file would name packages of
# every system, some of which a mirror may not have.
test-outside: ## Have DuckDB read the files that the service writes
	cd test/outside && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error
	$(GO) test -tags duckdb -run '^TestDuckDB$$' ./internal/upkeep/sink

.PHONY: fuzz
fuzz: ## Fuzz the decoder, the tokens and the API, half a minute each
	$(GO) test -run '^$$' -fuzz '^FuzzJSON$$' -fuzztime 30s ./internal/decode
	$(GO) test -run '^$$' -fuzz '^FuzzVerify$$' -fuzztime 30s ./internal/keys/auth
	for f in FuzzBody FuzzQuery FuzzPath FuzzHeader; do $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 30s -fuzzminimizetime 10x ./test/contract || exit 1; done

# Mutation testing of the packages that hold rules: each mutant is a change in one place,
# and a test should fail for it. docs/mutants.md lists those that survive, with the
# reason why each is harmless.
MUTATE    ?= $(addprefix ./internal/,rules/geo rules/motion rules/path rules/calendar rules/trip rules/milestone rules/arrival rules/quality rules/reading rules/fault rules/assignment rules/region events/match events/deliver/signing decode keys/auth keys/secret)

.PHONY: mutate
mutate: ## Change the rules place by place and see whether a test fails; MUTATE=./internal/rules/geo for one package
	$(GO) run ./test/mutate $(MUTATE)

.PHONY: bench
bench: ## Measure the figures of ARCHITECTURE.md, each beside its baseline; BENCHFLAGS=--full for ten million trips
	$(GO) run ./bench $(BENCHFLAGS)

# What the linter remembers of a package names the files of the checkout in which it
# found it, so each checkout has its own memory, which a new clone in the same place finds again.
LINT_CACHE = $(dir $(shell $(GO) env GOCACHE))golangci-lint/$(subst /,-,$(CURDIR))
.PHONY: lint
lint: $(LINT) ## Run the linter, and hold go.mod to what is used
	$(GO) mod tidy -diff
	GOLANGCI_LINT_CACHE=$(LINT_CACHE) $(LINT) run ./...
	cd test/provider && $(GO) mod tidy -diff
	cd test/zitadel && $(GO) mod tidy -diff
	cd release && $(GO) mod tidy -diff && GOLANGCI_LINT_CACHE=$(LINT_CACHE) $(CURDIR)/$(LINT) run ./...
	cd deploy/helm && $(GO) mod tidy -diff

.PHONY: fmt
fmt: $(LINT) ## Format the code
	$(LINT) fmt ./...

$(LINT):
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

.PHONY: generate
generate: ## Write the generated parts of the documentation and of the clients
	$(GO) test ./docs ./internal/config ./internal/provider/all ./internal/keys/auth -update

.PHONY: verify
verify: lint test ## All that CI runs
	$(GO) mod verify

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin dist clients/typescript/node_modules clients/typescript/dist clients/typescript/openapi.json clients/typescript/src/schema.ts test/openapi/node_modules test/openapi/openapi.json test/outside/node_modules web/node_modules web/out web/openapi.json web/src/api/schema.d.ts web/src/map/generated web/dist/*
