#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures how the server scales. Each section is a function of that name in bench/growth/; it is
# called for each size and starts its own server on an empty directory, with the default memory
# limit. GROWTH names the sections to run (default: all), GROWTH_<SECTION> their sizes; an empty
# list of sizes skips a section:
#
#     make bench B=growth                                             # everything: about an hour
#     GROWTH='spans diffs' make bench B=growth                        # two sections
#     GROWTH=stacks GROWTH_STACKS=10000000 make bench B=growth        # one size
#
# GROWTH_SECONDS limits the time to fill a store (600), GROWTH_PROFILES sets the (minimum) number of
# profiles per line; a few hundred do for a trial run. The generator (tests/server/load.c) and the
# query client (bench/ask.c) run on the same cores as the server.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
. bench/growth/lib.sh
. bench/growth/axes.sh
. bench/growth/others.sh
. bench/growth/ranges.sh
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true' EXIT

# section NAME VARIABLE SIZES
section() {
	eval "sizes=\${$2-$3}"
	case " ${GROWTH-$1} " in
	*" $1 "*) ;;
	*) sizes= ;;
	esac
	[ -n "$sizes" ] || return 0
	echo
	"${1}_head"
	for size in $sizes; do
		"$1" "$size"
	done
}
echo "on $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg) before the first section"
section services GROWTH_SERVICES '8 100 1000 10000'
section stacks GROWTH_STACKS '10000 100000 1000000'
section series GROWTH_SERIES '10 1000 32000'
section spans GROWTH_SPANS '10000 1000000 3000000'
section days GROWTH_DAYS '1 30 365'
section opening GROWTH_OPENING '10000 1000000'
section full GROWTH_FULL 1000000
section diffs GROWTH_DIFFS '2 150'
section small GROWTH_SMALL '4 400'
section month GROWTH_MONTH 30
section merged GROWTH_MERGED '10 1000'
