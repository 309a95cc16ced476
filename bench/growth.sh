#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# What growth costs: the same work beside more services, with more stacks of one service, and over more days. Each line of a table is a
# server of its own on an empty directory, with the default memory limit. GROWTH_SERVICES, GROWTH_STACKS and GROWTH_DAYS say which sizes;
# an empty one leaves its table out. The generator (tests/server/load.c) runs on the same cores.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
load=build-release/bench/load
ask=build-release/bench/ask
cpu='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true' EXIT

# send NAME [options of load]: what it says is in NAME.json
send() {
	name=$1
	shift
	"$load" "$@" -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/$name.json" || true
}
of() { jq -r ".$2" "$SCRATCH/$1.json"; } # NAME FIELD

# flame NAME COUNT QUERY FROM: a flame graph, so many times
flame() {
	"$ask" "$2" "$URL/api/v1/flame?query=$3&$cpu&from=$4&max_nodes=8192" >"$SCRATCH/$1.json" 2>"$SCRATCH/$1.err" || echo '{}' >"$SCRATCH/$1.json"
}

# line LABEL OPTIONS-OF-FILL...: fill, go on at 200 profiles a second, restart, ask
line() {
	label=$1
	shift
	rm -rf "$SCRATCH/data"
	start_server
	send fill -c 16 "$@"
	# shellcheck disable=SC2086 # options
	send paced -c 16 -r 200 -s 10 $shape
	peak=$(awk '/VmHWM/ { printf "%d", $2 / 1024 }' "/proc/$SERVER/status")
	stop_server
	bytes=$("$VARVE" store stats "$SCRATCH/data" --json | jq '.bytes_live / .samples' 2>/dev/null || echo 0)
	start_server
	# shellcheck disable=SC2086
	send one -c 1 -N 1 -s 5 $shape
	flame first 1 service1 "$from"
	flame warm 30 service1 "$from"
	stop_server
	SERVER=
	printf '%10s %9s %8s %9s %7s %8s %8s %8s %8s %8s %8s %7.2f\n' "$label" "$(of fill acknowledged)" "$(of fill refused)" "$(of fill mb_per_cpu_s)" "$peak" \
		"$(of paced p50_ms)" "$(of paced p99_ms)" "$(of paced refused)" "$(of one p99_ms)" "$(of first first)" "$(of warm p50)" "$bytes"
}
head_line() {
	printf '%10s %9s %8s %9s %7s %8s %8s %8s %8s %8s %8s %7s\n' "$1" kept refused MB/CPU-s MB-RSS ack-p50 ack-p99 refused 1st-ack 1st-flm warm-flm B/smpl
}

echo 'kept, refused, MB of pprof a CPU second, peak memory while it is filled at full speed; acknowledgements at 200 profiles a second, and refused ones;'
echo 'after a restart: the first acknowledgement, the first and the middle flame graph of one service (ms); live bytes a sample'
from=now-1h
if [ -n "${GROWTH_SERVICES-8 100 1000 10000}" ]; then
	head_line services
	for n in ${GROWTH_SERVICES-8 100 1000 10000}; do
		shape="-S $n -P 2 -K 2000 -m 100"
		profiles=$((n * 20))
		[ $profiles -ge 4000 ] || profiles=4000
		[ $profiles -le 40000 ] || profiles=40000
		# shellcheck disable=SC2086 # options
		line "$n" -s 600 -N $profiles $shape
	done
fi
if [ -n "${GROWTH_STACKS-10000 100000 1000000}" ]; then
	head_line stacks
	for n in ${GROWTH_STACKS-10000 100000 1000000}; do
		shape="-S 2 -P 2 -K $n -m 500"
		# shellcheck disable=SC2086
		line "$n" -s 600 -N 4000 $shape
	done
fi
if [ -n "${GROWTH_DAYS-1 30 365}" ]; then
	head_line days
	from=now-366d
	for n in ${GROWTH_DAYS-1 30 365}; do
		shape='-S 20 -P 2 -K 2000 -m 100'
		# shellcheck disable=SC2086
		line "$n" -d $((n * 400 < 14400 ? n * 400 : 14400)) -D "$n" $shape
	done
fi
