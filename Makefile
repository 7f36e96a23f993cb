# Every target is one script; `make` alone says what there is.
.DEFAULT_GOAL := help
.PHONY: help run test demo lint fmt conformance npm figures hosts bench soak growth flame

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build everything, start a plane on this machine, say what to do next
	@scripts/run.sh

test: ## Run every check and every test, with a throw-away Postgres
	@scripts/test.sh

demo: ## Show a session from both ends around a file: make demo FILE=README.md
	@scripts/demo.sh "$(or $(FILE),README.md)"

lint: ## Formatting, clippy, shell scripts, dependencies
	@scripts/lint.sh

fmt: ## Format the sources
	@cargo fmt --all

conformance: ## Run a black-box suite of the HTTP API: make conformance SUITE=DIR
	@scripts/conformance.sh "$(SUITE)"

npm: ## Build the published program for this machine, pack and try the npm packages
	@scripts/npm.sh

hosts: ## Run the client in the real hosts, which are fetched once: make hosts HOST=codex
	@scripts/hosts.sh $(HOST)

figures: ## Measure start, memory and size of what `make npm` has built, beside Node servers
	@scripts/client-figures.sh

bench: ## Measure everything beside its baselines: make bench QUICK=1, make bench ONLY=append
	@QUICK=$(QUICK) ONLY=$(ONLY) scripts/bench.sh

soak: ## Load a plane for many minutes and see that nothing grows: make soak MINUTES=10
	@MINUTES=$(MINUTES) scripts/bench.sh soak

growth: ## Measure and plot what a million stored records cost: make growth
	@QUICK=$(QUICK) scripts/bench.sh growth

flame: ## Profile the plane under a row of the bench: make flame ONLY=history
	@ONLY=$(ONLY) scripts/bench.sh flame
