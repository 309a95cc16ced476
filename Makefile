# SPDX-License-Identifier: Apache-2.0
# Entry points; Meson and Ninja do the work. Each target works on a machine that has only git and
# make: missing packages are installed first (packages.txt).
PREFIX ?= /usr/local
T ?= 10

.PHONY: all run check test test-long interop lint format fuzz bench cover install clean

all: ## build/varve, and the files that `varve run` and `varve demo` need
	@tools/install-packages build
	@tools/configure build
	@ninja -C build programs

run: all ## start a server with its data in build/data, until Ctrl-C
	@build/varve up --data build/data

check: ## unit tests of the normal build, about two minutes
	@tools/install-packages
	@tools/configure build
	@ninja -C build
	@meson test -C build --no-rebuild --suite unit --no-suite slow --print-errorlogs

test: ## everything that a change must pass, about 30 minutes; ends with "N passed, N failed"
	@tools/install-packages
	@tools/test

test-long: ## the same, the slow suites, and 30 minutes of each fuzzer
	@tools/install-packages
	@tools/test --long

interop: all ## checks against real producers (perf, node, py-spy, ...) that are installed, or one: N=name
	@tests/interop/run $(N)

lint: ## clang-format, clang-tidy, include order, shellcheck, types of the web UI
	@tools/install-packages
	@tools/lint

format: ## format the C sources
	@tools/install-packages
	@tools/format

fuzz: ## all fuzzers, or one: N=name T=seconds
	@tools/install-packages
	@tools/fuzz -t $(T) $(N)

bench: ## all benchmarks, or one: B=name
	@tools/install-packages
	@tools/bench $(B)

cover: ## test coverage by line; HTML in build-cover/html
	@tools/install-packages
	@tools/cover

install: all ## install to PREFIX, below DESTDIR
	@meson configure build -Dprefix=$(PREFIX)
	@meson install -C build --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	rm -rf build build-*
