#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with very many different stacks under `varve run`: each profile has its own share of
# tables and samples, allocating functions are named even in cut stacks, their sums are right, and
# memory use is bounded.
. "$SOURCE_ROOT/tests/cli/lib.sh"

for tool in jq python3; do
	command -v $tool >/dev/null || {
		skip 'many different stacks' "no $tool"
		finish
	}
done
${CC:-cc} -O1 -g -fno-optimize-sibling-calls -pthread -o many "$SOURCE_ROOT/tests/sdk/many_stacks.c" || exit 1

# peak program...: stdout goes to `said`; prints the peak memory of its largest process in MB
peak() {
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=open("said", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}

# profile bits threads rounds keep: measure peak memory without and with the profilers; the program
# prints its sums
profile() {
	alone=$(peak ./many "$@")
	rm -rf files
	profiled=$(peak "$VARVE" run --no-summary --cpu --heap -o files -- ./many "$@")
	echo "# $* with VARVE_HEAP_INTERVAL=$VARVE_HEAP_INTERVAL: $alone MB without varve, $profiled MB profiled"
}

rows() { # type file: "name self" of each function, and "all total"
	"$VARVE" top -n 0 --json --type "$1" "$2" >top.json 2>err
	jq -r '"all \(.total)", (.rows[] | "\(.name) \(.self)")' top.json
}

# right name type rounds tolerance: check that each of the 8 leaf functions has its bytes divided by
# `rounds`, that they are at least 99 % of the total, and that nothing is lost
right() {
	rows "$2" files/heap.pb.gz >seen
	awk -v rounds="$3" -v tolerance="$4" '
		FNR == NR { want[$1] = $2 / rounds; next }
		$1 == "all" { all = $2 }
		$1 in want { named += $2; off = $2 / want[$1] - 1; n++; if (off > tolerance || off < -tolerance) { print $1 " is off by " off; bad = 1 } }
		$1 ~ /lost|other/ && $2 > all / 1000 { print; bad = 1 }
		END { print n, named, all; exit bad || n != 8 || named < 0.99 * all }' said seen >out
	code=$?
	expect "$1" 0
}

whole() { # name
	rows cpu files/cpu.pb.gz >seen
	[ -s seen ] && ! grep -E 'lost|other' seen >out
	code=$?
	expect "$1" 0
}

within() { # name megabytes
	code=$((profiled - alone > $2))
	expect "$1" 0
}

export VARVE_HEAP_INTERVAL=1
profile 15 4 5 1
right '32,768 stacks: allocated bytes' alloc_space 1 0.03
right '32,768 stacks: bytes in use' inuse_space 5 0.03
whole '32,768 stacks: no CPU sample has lost its stack'

profile 18 4 1 1
right '262,144 stacks: allocated bytes' alloc_space 1 0.03
right '262,144 stacks: bytes in use, a million blocks' inuse_space 1 0.03
whole '262,144 stacks: no CPU sample has lost its stack'
within '262,144 stacks: memory is within max_memory' 200

export VARVE_MAX_MEMORY=40MB
profile 18 4 1 1
right 'with a fifth of the memory: bytes in use' inuse_space 1 0.2
within 'with a fifth of the memory: memory is within max_memory' 40
unset VARVE_MAX_MEMORY

export VARVE_HEAP_INTERVAL=512
profile 21 1 1 1
# Sampling at this rate exceeds the overhead target, so the interval grows: about 750 samples of
# leaf_0() are left, with a standard deviation of 4 % (six runs: no bias)
right '2,097,152 stacks: allocated bytes' alloc_space 1 0.15
right '2,097,152 stacks: bytes in use' inuse_space 1 0.15
whole '2,097,152 stacks: no CPU sample has lost its stack'
within '2,097,152 stacks: memory is within max_memory' 200
finish
