#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gperftools' CPU and heap profilers: the totals equal those of google-pprof.
set -eu
for tool in gcc google-pprof jq; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cp tests/interop/allocate.c "$SCRATCH"
cd "$SCRATCH"
if ! gcc -O1 allocate.c -o cpu -Wl,--no-as-needed -lprofiler 2>/dev/null ||
	! gcc -O1 allocate.c -o heap -Wl,--no-as-needed -ltcmalloc 2>/dev/null; then
	echo "no libprofiler or libtcmalloc to link with (libgoogle-perftools-dev)"
	exit 77
fi

CPUPROFILE=cpu.prof ./cpu 2>/dev/null
theirs=$(google-pprof --text ./cpu cpu.prof 2>/dev/null | awk '/^Total:/ { print $2 }')
ours=$("$VARVE" top cpu.prof --type samples --json | jq .total)
if [ "$theirs" -eq 0 ] || [ "$theirs" != "$ours" ]; then
	echo "CPU: google-pprof counts '$theirs' samples, varve '$ours'"
	exit 1
fi

HEAPPROFILE=$PWD/kept HEAP_PROFILE_ALLOCATION_INTERVAL=4000000 ./heap 2>/dev/null
for file in kept.*.heap; do
	theirs=$(google-pprof --text --show_bytes --inuse_space ./heap "$file" 2>/dev/null |
		awk '/^Total:/ { print $2 }')
	ours=$("$VARVE" top "$file" --type space --json | jq .total)
	if [ "$theirs" -eq 0 ] || [ "$theirs" != "$ours" ]; then
		echo "$file: google-pprof counts '$theirs' bytes, varve '$ours'"
		exit 1
	fi
done
