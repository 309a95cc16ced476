#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A server with and without sanitizing, by turns ($TURNS, 6): bytes of pprof that it ingests per CPU
# second at full speed, of senders that repeat the order of their strings, and of profiles that each
# have their own samples. Reports medians and the difference.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
load=${LOAD:-build-release/bench/load}
trap 'kill "$SERVER" 2>/dev/null || true' EXIT

# one NAME OPTIONS_OF_LOAD [OPTIONS_OF_SERVER]: append "MB/CPU-s" to a file of that name
one() {
	name=$1
	options=$2
	shift 2
	rm -rf "$SCRATCH/data"
	start_server --memory-limit 1G "$@"
	# shellcheck disable=SC2086
	"$load" -k push -c 4 -r 0 -s "${SECONDS_OF_LOAD:-6}" $options -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/load.json"
	jq -r .mb_per_cpu_s "$SCRATCH/load.json" >>"$SCRATCH/$name"
	stop_server
}

median() { sort -n "$SCRATCH/$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
best() { sort -n "$SCRATCH/$1" | tail -1; }

turn=0
while [ $turn -lt "${TURNS:-6}" ]; do
	turn=$((turn + 1))
	one same_off '' --no-sanitize
	one same_on ''
	one own_on '-K 3000'
	one own_off '-K 3000' --no-sanitize
done
for case in same own; do
	bench_report "sanitize-$case" "$(awk -v a="$(best ${case}_off)" -v b="$(best ${case}_on)" 'BEGIN { printf "%.1f", (a / b - 1) * 100 }')" \
		'% CPU' less '' '' "best of ${TURNS:-6} turns: push, 4 connections, full speed, durable; $(best ${case}_off) and $(best ${case}_on) MB of pprof/CPU-s, medians $(median ${case}_off) and $(median ${case}_on)"
done
