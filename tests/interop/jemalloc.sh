#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jemalloc's sampling heap profiler: the scaled total equals that of jeprof.
set -eu
for tool in gcc jeprof jq; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cp tests/interop/allocate.c "$SCRATCH"
cd "$SCRATCH"
gcc -O1 allocate.c -o heap -Wl,--no-as-needed -ljemalloc 2>/dev/null || {
	echo "no libjemalloc to link with (libjemalloc-dev)"
	exit 77
}

MALLOC_CONF="prof:true,prof_final:true,prof_prefix:$PWD/kept,lg_prof_sample:14" ./heap
for file in kept.*.heap; do
	[ -e "$file" ] || {
		echo "this jemalloc is built without its profiler"
		exit 77
	}
	theirs=$(jeprof --text --show_bytes --inuse_space ./heap "$file" 2>/dev/null |
		awk '/^Total:/ { print $2 }')
	ours=$("$VARVE" top "$file" --type space --json | jq .total)
	stacks=$(grep -c '^@' "$file") # each stack is rounded separately
	if [ "$theirs" -eq 0 ] || [ $((theirs - ours)) -gt "$stacks" ] || [ $((ours - theirs)) -gt "$stacks" ]; then
		echo "$file: jeprof counts '$theirs' bytes, varve '$ours'"
		exit 1
	fi
done
