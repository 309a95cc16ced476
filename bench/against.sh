#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares this build with another one (AGAINST=program, for example of the last release),
# alternating in one run: the CPU cost of ingest, and query latency. Each ratio is "this build / the
# other one"; more is better. Skipped without AGAINST.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
if [ -z "${AGAINST:-}" ]; then
	bench_skip against 'set AGAINST to the other program'
	exit 0
fi
rounds=${AGAINST_ROUNDS:-7}
ours=$VARVE
top=$SCRATCH
day=$((20000 * 86400))
pids=
trap 'for pid in $pids; do kill -CONT $pid 2>/dev/null && kill $pid; done' EXIT

# side NAME PROGRAM: start a server and stop it until its turn. NAME.pid, NAME.port and NAME.url
# describe it
side() {
	VARVE=$2
	SCRATCH=$top/server-$1
	mkdir -p "$SCRATCH"
	start_server
	pids="$pids $SERVER"
	echo "$SERVER" >"$top/$1.pid"
	echo "$PORT" >"$top/$1.port"
	echo "$URL" >"$top/$1.url"
	kill -STOP "$SERVER"
	SCRATCH=$top
}
end_sides() {
	for pid in $pids; do
		kill -CONT "$pid"
		kill "$pid"
		wait "$pid"
	done
	pids=
}
# alternate NAME COMMAND: measure both sides in turn. COMMAND SIDE prints a number, more is better;
# each side is first in half of the rounds
alternate() {
	: >"$top/new"
	: >"$top/old"
	for round in $(seq "$rounds"); do
		order='new old'
		[ $((round % 2)) -eq 0 ] || order='old new'
		for side in $order; do
			pid=$(cat "$top/$side.pid")
			kill -CONT "$pid"
			"$2" "$side" >>"$top/$side"
			kill -STOP "$pid"
		done
	done
	# shellcheck disable=SC2046 # three numbers
	set -- "$1" $(pairs new old)
	bench_report "against-$1" "$2" x more '' '' "median of $rounds rounds, quartiles $3 to $4; medians $(median new) and $(median old)"
}

ingest() {
	build-release/bench/load -k "$kind" -c 128 -r 0 -s 4 -p "$(cat "$top/$1.pid")" 127.0.0.1 "$(cat "$top/$1.port")" | jq .mb_per_cpu_s
}
side new "$ours"
side old "$AGAINST"
for kind in push ingest otlp; do alternate "$kind-cost" ingest; done
end_sides

# copies of one directory for both, with data as in bench/query.sh
env BENCH_STORE_FILL=1 BENCH_STORE_SECONDS=60 BENCH_STORE_DIR="$top/made" BENCH_STORE_SAMPLES=500000 BENCH_STORE_SERIES=10 BENCH_STORE_STACKS=5000 \
	BENCH_STORE_DAYS=7 build-release/bench/store_bench >/dev/null
for name in new old; do
	rm -rf "$top/server-$name/data"
	cp -r "$top/made" "$top/server-$name/data"
done
query_rate() {
	build-release/bench/ask 50 "$(cat "$top/$1.url")$path" | jq '1 / .p50'
}
side new "$ours"
side old "$AGAINST"
what='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
end=$((day + 7 * 86400))
for hours in 1 24 168; do
	path="/api/v1/flame?query=service-0&$what&from=$((end - hours * 3600))&to=$end&max_nodes=8192"
	alternate "flame-${hours}h" query_rate
done
path="/api/v1/diff?before=service-0&after=service-0&$what&before_from=$((end - 172800))&before_to=$((end - 86400))&after_from=$((end - 86400))&after_to=$end&flame=1&max_nodes=8192"
alternate diff-24h query_rate
path="/api/v1/series?query=service-0&$what&from=$((end - 86400))&to=$end&by=pod"
alternate series-24h query_rate
path="/api/v1/label-values?name=pod&from=$day&to=$end"
alternate label-values query_rate
end_sides
