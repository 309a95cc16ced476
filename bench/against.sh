#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# This build against another one (AGAINST=program, for example that of the last release), by turns in one run: what a profile costs to
# take in, and how long questions take. Each ratio is "this build / the other one", and more is better. Without AGAINST it is skipped.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
if [ -z "${AGAINST:-}" ]; then
	bench_skip against 'AGAINST is not set to the other program'
	exit 0
fi
rounds=${AGAINST_ROUNDS:-7}
ours=$VARVE
top=$SCRATCH
day=$((20000 * 86400))
pids=
trap 'for pid in $pids; do kill -CONT $pid 2>/dev/null && kill $pid; done' EXIT

# side NAME PROGRAM: a server that stands still until its turn; NAME.pid, NAME.port and NAME.url tell where it is
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
# by_turns NAME COMMAND: COMMAND SIDE prints a number where more is better; each side goes first in half of the rounds
by_turns() {
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
	bench_report "against-$1" "$2" x more '' '' "middle of $rounds rounds, half of them $3 to $4; middles $(middle new) and $(middle old)"
}

ingest() {
	build-release/bench/load -k "$kind" -c 128 -r 0 -s 4 -p "$(cat "$top/$1.pid")" 127.0.0.1 "$(cat "$top/$1.port")" | jq .mb_per_cpu_s
}
side new "$ours"
side old "$AGAINST"
for kind in push ingest otlp; do by_turns "$kind-cost" ingest; done
end_sides

# the same directory for both, of the data that bench/query.sh asks
env BENCH_STORE_FILL=1 BENCH_STORE_SECONDS=60 BENCH_STORE_DIR="$top/made" BENCH_STORE_SAMPLES=500000 BENCH_STORE_SERIES=10 BENCH_STORE_STACKS=5000 \
	BENCH_STORE_DAYS=7 build-release/bench/store_bench >/dev/null
for name in new old; do
	rm -rf "$top/server-$name/data"
	cp -r "$top/made" "$top/server-$name/data"
done
question() {
	build-release/bench/ask 50 "$(cat "$top/$1.url")$path" | jq '1 / .p50'
}
side new "$ours"
side old "$AGAINST"
what='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
end=$((day + 7 * 86400))
for hours in 1 24 168; do
	path="/api/v1/flame?query=service-0&$what&from=$((end - hours * 3600))&to=$end&max_nodes=8192"
	by_turns "flame-${hours}h" question
done
path="/api/v1/diff?before=service-0&after=service-0&$what&before_from=$((end - 172800))&before_to=$((end - 86400))&after_from=$((end - 86400))&after_to=$end&flame=1&max_nodes=8192"
by_turns diff-24h question
path="/api/v1/series?query=service-0&$what&from=$((end - 86400))&to=$end&by=pod"
by_turns series-24h question
path="/api/v1/label-values?name=pod&from=$day&to=$end"
by_turns label-values question
end_sides
