# SPDX-License-Identifier: Apache-2.0
# The habits. Meson and Ninja do the work; each target does what it says on a machine that has only
# git and make: what is missing is installed first (packages.txt).
PREFIX ?= /usr/local
T ?= 10

.PHONY: all run test test-long interop lint format fuzz bench cover install clean

all: ## build/varve, and what `varve run` and `varve demo` need beside it
	@tools/install-packages build
	@tools/configure build
	@ninja -C build programs

run: all ## the main job: receive, keep and answer, until Ctrl-C
	@build/varve up --data build/data

test: ## everything a change must pass; ends with "N passed, N failed"
	@tools/install-packages
	@tools/test

test-long: ## the same and what takes hours: slow suites, 30 minutes of each fuzzer
	@tools/install-packages
	@tools/test --long

interop: all ## real producers (perf, node, py-spy, ...), those that are here, or one: N=name
	@tests/interop/run $(N)

lint: ## clang-format, clang-tidy, include order, shell scripts
	@tools/install-packages
	@tools/lint

format: ## rewrite the sources in the house format
	@tools/install-packages
	@tools/format

fuzz: ## all fuzzers, or one: N=name T=seconds
	@tools/install-packages
	@tools/fuzz -t $(T) $(N)

bench: ## all benchmarks, or one: B=name
	@tools/install-packages
	@tools/bench $(B)

cover: ## which lines the tests reach; HTML in build-cover/html
	@tools/install-packages
	@tools/cover

install: all ## DESTDIR and PREFIX as usual
	@meson configure build -Dprefix=$(PREFIX)
	@meson install -C build --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	rm -rf build build-*
