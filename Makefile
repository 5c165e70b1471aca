# The two commands: `make run` installs what is missing, builds and runs a demo; `make test` does
# the same set-up and runs every test. `make help` lists the rest.
SHELL := /bin/bash
.NOTPARALLEL:
.DEFAULT_GOAL := build

PREFIX  ?= /usr/local
DESTDIR ?=
# More for the configure step, e.g. CMAKE_FLAGS=-DRANKD_WERROR=ON
CMAKE_FLAGS ?=
# More for ctest, e.g. CTEST_FLAGS="-R expr"
CTEST_FLAGS ?=
# How long each fuzzer runs, and which: FUZZ_TARGETS="requests replies"
FUZZ_SECONDS ?= 30
FUZZ_TARGETS ?=
# More for the benchmarks, e.g. BENCH_FLAGS=--quick BENCH_ONLY="columns start"
BENCH_FLAGS ?=
BENCH_ONLY  ?=
# More for the counts, e.g. INSTRUCTIONS_FLAGS=--update
INSTRUCTIONS_FLAGS ?=
# More for the soak, e.g. SOAK_FLAGS="--minutes 60 --seed 7"
SOAK_FLAGS ?=

BIN := engine/bin/rankd

.PHONY: build deps run test soak bench instructions fuzz asan tsan clang lint format install uninstall clean help

build: ## build the release binary, engine/bin/rankd (the default)
	@tools/build release --target rankd -- $(CMAKE_FLAGS)
	@mkdir -p $(dir $(BIN))
	@cmp -s build/release/bin/rankd $(BIN) || install -m 755 build/release/bin/rankd $(BIN)

deps: ## install the packages that are missing, with apt
	@tools/deps

run: deps build ## install what is missing, build, and run a few requests
	@tools/demo $(BIN)

test: deps build ## install what is missing, build, and run every test
	@tools/build release -- $(CMAKE_FLAGS)
	@tools/test release $(CTEST_FLAGS)

soak: deps build ## ten minutes of mixed load over a Redis that fails (SOAK_FLAGS="--minutes 60 --seed 7")
	@python3 -B tests/soak/soak.py $(BIN) $(SOAK_FLAGS)

bench: ## every question of speed, in one table (BENCH_FLAGS=--quick BENCH_ONLY="columns start")
	@tools/deps --bench || { echo "Going on without the peers that are missing." >&2; tools/deps; }
	@tools/build release --target rankd bench_programs -- $(CMAKE_FLAGS)
	@BENCH_ONLY="$(BENCH_ONLY)" python3 -B bench/run_all.py build/release/bin/rankd $(BENCH_FLAGS)

instructions: ## count instructions with callgrind, against bench/instructions.json
	@tools/deps --instructions
	@tools/build release --target rankd bench_columns bench_node_cost -- $(CMAKE_FLAGS)
	@python3 -B bench/instructions.py build/release/bin/rankd $(INSTRUCTIONS_FLAGS)

fuzz: ## build the fuzzers with clang++-19 and run each for FUZZ_SECONDS=30
	@tools/deps --clang
	@tools/build asan --target fuzzers -- $(CMAKE_FLAGS)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz $(FUZZ_TARGETS)

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer, with clang++-19
	@tools/deps --clang
	@tools/build asan -- $(CMAKE_FLAGS)
	@tools/test asan $(CTEST_FLAGS)

tsan: deps ## the tests under ThreadSanitizer
	@tools/build tsan -- $(CMAKE_FLAGS)
	@tools/test tsan $(CTEST_FLAGS)

clang: ## build with clang++-19 and run the tests
	@tools/deps --clang
	@tools/build clang -- $(CMAKE_FLAGS)
	@tools/test clang $(CTEST_FLAGS)

lint: ## layout, include layers, and what g++ 12 miscompiles
	@tools/lint

format: ## let clang-format decide the layout
	@tools/lint --fix

# Builds only where nothing is built yet, so that `sudo make install` leaves no files of root's.
$(BIN):
	@$(MAKE) build

install: $(BIN) ## install to PREFIX (/usr/local), below DESTDIR
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/rankd/plans"
	install -m 755 $(BIN) "$(DESTDIR)$(PREFIX)/bin/rankd"
	install -m 644 plans/*.json "$(DESTDIR)$(PREFIX)/share/rankd/plans/"

uninstall: ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/rankd"
	rm -rf "$(DESTDIR)$(PREFIX)/share/rankd"

clean: ## remove everything that was built
	rm -rf build engine/bin

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
