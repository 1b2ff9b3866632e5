# Thin on purpose: names for what people do, the work is CMake's. `make help` lists them.

PRESET ?= release
JOBS   ?= $(shell nproc)
BIN     = build/$(PRESET)/bin

# Debian packages, by name. "a|b" means: the first that the distribution has (Debian 12 names first);
# "a@p": not needed where the program p is there already.
PACKAGES = g++ cmake ninja-build ccache pkg-config git ca-certificates \
           libboost1.81-dev|libboost-dev libboost-json1.81-dev|libboost-json-dev \
           libssl-dev libc-ares-dev libhiredis-dev libsimdjson-dev prometheus-cpp-dev libyaml-cpp-dev \
           libcli11-dev libspdlog-dev libfmt-dev libre2-dev libmimalloc-dev redis-server
TEST_PACKAGES = libgtest-dev libgmock-dev libbenchmark-dev curl prometheus python3@python3 \
                nodejs@node npm@npm unzip@unzip chromium@chromium fonts-inter
IMAGE_PACKAGES = buildah podman runc debootstrap
BENCH_PACKAGES = strace wrk
LINT_PACKAGES = clang-format clang-tidy

export CTEST_PARALLEL_LEVEL ?= $(shell echo $$(( $(JOBS) * 2 )))

.DEFAULT_GOAL := build
.PHONY: help deps chart-tools interop-tools openapi-tools data-tools browser-tools screenshots chart-readme lint-deps configure build everything \
        demo test install package format lint asan tsan fuzz chaos calibration bench image-test clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# TESTING=OFF leaves the tests out, and what only they need.
TESTING ?= ON
deps: ## install the Debian packages that are missing (silent when all is there)
	@.cmake/install-packages $(foreach p,$(PACKAGES) $(if $(filter ON,$(TESTING)),$(TEST_PACKAGES)),'$(p)')

chart-tools: deps ## fetch what the chart's tests need, with npm, into build/chart-tools
	@tests/install-tools chart build/chart-tools

interop-tools: deps ## fetch the clients and the gateway that the interop tests need, with npm, into build/interop-tools
	@tests/install-tools interop build/interop-tools

openapi-tools: deps ## fetch what checks the description of the API, with npm, into build/openapi-tools
	@tests/install-tools openapi build/openapi-tools

data-tools: deps ## fetch DuckDB, which tests of docs/data.md need, with npm, into build/data-tools
	@tests/install-tools data build/data-tools

browser-tools: deps ## fetch what the tests of the web pages need, with npm, into build/browser-tools
	@tests/install-tools browser build/browser-tools

screenshots: build browser-tools ## make the pictures of the web pages in docs/images
	@EVALFLEET_BIN_DIR=$(CURDIR)/$(BIN) npm --silent --prefix tests/browser run screenshots

chart-readme: chart-tools ## write the table of values into the chart's README
	@node tests/chart/support/values-table.mjs

lint-deps:
	@.cmake/install-packages $(LINT_PACKAGES)

configure: deps
	@cmake --preset $(PRESET) --log-level=NOTICE -DBUILD_TESTING=$(TESTING)

build: configure ## build the three programs into build/<preset>/bin
	@cmake --build --preset $(PRESET) -j $(JOBS) --target programs

everything: configure ## build the tests and benchmarks too
	@cmake --build --preset $(PRESET) -j $(JOBS)

# Exit code 1 is a verdict (a gate failed), not a failure of the demo.
demo: ## evaluate a simulated model with a whole fleet, and show the report
	@$(MAKE) --no-print-directory build
	@rm -rf build/demo
	@$(BIN)/evalfleet run docs/examples/demo.yaml --simulate --out build/demo || [ $$? -eq 1 ]
	@$(BIN)/evalfleet verify build/demo

# Where npm cannot reach its registry, the tests of the chart, of the web pages, of interop and of data fail and say so; all others
# run.
test: everything ## build, and run every test
	-@tests/install-tools chart build/chart-tools
	-@tests/install-tools interop build/interop-tools
	-@tests/install-tools openapi build/openapi-tools
	-@tests/install-tools data build/data-tools
	-@tests/install-tools browser build/browser-tools
	@ctest --preset $(PRESET) -j $(CTEST_PARALLEL_LEVEL)

PREFIX ?= /usr/local
install: build ## install programs, man pages, completions and units into PREFIX (/usr/local), under DESTDIR if that is set
	@cmake --build --preset $(PRESET) -j $(JOBS) --target package_documents
	@DESTDIR=$(DESTDIR) cmake --install build/$(PRESET) --prefix $(PREFIX)

package: build ## make a Debian package of the same, in build/
	@.cmake/install-packages dpkg-dev file
	@cmake --build --preset $(PRESET) -j $(JOBS) --target package_documents
	@cpack --config build/$(PRESET)/CPackConfig.cmake -B build/package

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory test PRESET=asan

tsan: ## the tests under ThreadSanitizer
	@$(MAKE) --no-print-directory test PRESET=tsan

image-test: ## build the image on a Debian made here, and run a demo and a drain in it (root)
	@.cmake/install-packages $(IMAGE_PACKAGES)
	@tests/image/image-test build/image

fuzz: ## fuzz every parser for FUZZ_SECONDS each, under AddressSanitizer
	@$(MAKE) --no-print-directory everything PRESET=asan
	@for target in build/asan/bin/fuzz/*; do "$$target" --seconds $${FUZZ_SECONDS:-60} || exit 1; done

chaos: configure ## every fault for EVALFLEET_CHAOS_SEEDS (3) seeds from EVALFLEET_CHAOS_SEED (1) on; prints a table
	@cmake --build --preset $(PRESET) -j $(JOBS) --target chaos
	@tests/chaos/play $(BIN)/tests build/chaos

calibration: configure ## simulate each decision EVALFLEET_CALIBRATION_RUNS (2000) times; prints tables
	@cmake --build --preset $(PRESET) -j $(JOBS) --target calibration
	@EVALFLEET_CALIBRATION_RUNS=$${EVALFLEET_CALIBRATION_RUNS:-2000} $(BIN)/tests/calibration --gtest_brief=1

bench: everything ## run the benchmarks; each prints JSON
	@.cmake/install-packages $(BENCH_PACKAGES)
	@for bench in $(BIN)/bench/*; do "$$bench" || exit 1; done

format: lint-deps ## format the sources
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format -i

# clang-tidy cannot read GCC's precompiled headers, so it gets a configuration of its own without.
lint: configure lint-deps ## check formatting, headers that stand alone, and clang-tidy (half an hour)
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format --dry-run --Werror
	@cmake --build --preset $(PRESET) -j $(JOBS) --target header_check
	@cmake --preset release -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON --log-level=NOTICE
	@run-clang-tidy -quiet -p build/lint -j $(JOBS) -extra-arg=-Wno-unknown-warning-option \
	    '$(CURDIR)/(common|coordinator|worker|cli)/' > build/tidy.log 2>&1 \
	    || { grep -E '(warning|error):' build/tidy.log | sort -u; exit 1; }

clean: ## remove everything that was built
	@rm -rf build
