#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # functions with optional arguments
# Latency of queries over HTTP, elapsed time: flame graphs of one service over growing ranges,
# differences, label values, series, and the time until a server responds that was just started. The
# store's own writer makes the data (bench/store_bench.c), rolled up as after its day. QUERY_SCALE
# divides the number of samples (default 10; 1 is the full size and takes half an hour and 13 GB).
# QUERY_DIR keeps the data in that directory and reuses what exists.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
scale=${QUERY_SCALE:-10}
data=${QUERY_DIR:-$SCRATCH/query}
ask=build-release/bench/ask
day=$((20000 * 86400)) # the first one
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true' EXIT

# make_data NAME VARIABLE=value...: make the data directory NAME unless it exists
make_data() {
	name=$1
	shift
	if [ ! -d "$data/$name" ]; then
		mkdir -p "$data/$name.part"
		env BENCH_STORE_FILL=1 BENCH_STORE_SECONDS=60 BENCH_STORE_DIR="$data/$name.part" "$@" build-release/bench/store_bench >/dev/null
		mv "$data/$name.part" "$data/$name"
	fi
	rm -f "$SCRATCH/data"
	ln -s "$data/$name" "$SCRATCH/data"
}

# one NAME TIMES PATH METHOD: send the query TIMES times and report the 99th percentile
one() {
	"$ask" "$2" "$URL$3" >"$SCRATCH/one.json"
	field() { jq ".$1" "$SCRATCH/one.json"; }
	bench_report "query-$1" "$(field p99)" ms less '' '' "p99 of $2 (first $(field first), p50 $(field p50) ms, $(field bytes) bytes): $4"
}
cpu='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
flame() { # name times length end method
	one "$1" "$2" "/api/v1/flame?query=service-0&$cpu&from=$(($4 - $3))&to=$4&max_nodes=8192" "flame graph, $5"
}

make_data month BENCH_STORE_SAMPLES=$((5000000 / scale)) BENCH_STORE_SERIES=10 BENCH_STORE_STACKS=5000 BENCH_STORE_DAYS=30
end=$((day + 30 * 86400))
samples="one service, $((5000000 / scale)) samples and 5,000 stacks a day"
start_server
flame first 1 86400 $end "24 h, the first query after the start; $samples"
flame 1h 200 3600 $((end - 36000)) "1 h; $samples"
flame 1h-ragged 200 3600 $((end - 36177)) "1 h that begins within a slot; $samples"
for hours in 6 24; do flame "${hours}h" 200 $((hours * 3600)) $end "$hours h; $samples"; done
for days in 2 7 14 30; do flame "${days}d" 100 $((days * 86400)) $end "$days days; $samples"; done
one pod-24h 100 "/api/v1/flame?query=service-0%7Bpod%3D%22pod-0-3%22%7D&$cpu&from=$((end - 86400))&to=$end&max_nodes=8192" "flame graph, 24 h of one series of ten; $samples"
one render-24h 100 "/pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7Bservice_name%3D%22service-0%22%7D&from=$((end - 86400))&until=$end" "Pyroscope's render, 24 h; $samples"
one diff-24h 100 "/api/v1/diff?before=service-0&after=service-0&$cpu&before_from=$((end - 172800))&before_to=$((end - 86400))&after_from=$((end - 86400))&after_to=$end&flame=1&max_nodes=8192" "difference of two days, with flame graph; $samples"
one diff-7d 100 "/api/v1/diff?before=service-0&after=service-0&$cpu&before_from=$((end - 1209600))&before_to=$((end - 604800))&after_from=$((end - 604800))&after_to=$end&flame=1&max_nodes=8192" "difference of two weeks, with flame graph; $samples"
one series-24h 100 "/api/v1/series?query=service-0&$cpu&from=$((end - 86400))&to=$end&by=pod" "values over 24 h by pod; $samples"
function=$(curl -s "$URL/api/v1/top?query=service-0&$cpu&from=$((end - 86400))&to=$end&n=10" | jq -r '.rows[5].name' | sed 's/(/%28/g; s/)/%29/g; s/\*/%2A/g')
one series-function-24h 20 "/api/v1/series?query=service-0&$cpu&from=$((end - 86400))&to=$end&by=pod&function=$function" "the same for stacks with one function; $samples"
stop_server

make_data day BENCH_STORE_SAMPLES=$((100000000 / scale)) BENCH_STORE_SERIES=10 BENCH_STORE_STACKS=5000
start_server
flame day-1h 200 3600 $((day + 43200)) "1 h; one service, $((100000000 / scale)) samples a day"
flame day-1h-ragged 200 3600 $((day + 43023)) "1 h that begins within a slot; one service, $((100000000 / scale)) samples a day"
flame day-24h 200 86400 $((day + 86400)) "24 h; one service, $((100000000 / scale)) samples a day"
stop_server

make_data series BENCH_STORE_SAMPLES=1440000 BENCH_STORE_SERIES=10000 BENCH_STORE_STACKS=100000 BENCH_STORE_SECONDS=600
start_server
one label-values 200 "/api/v1/label-values?name=pod&from=$day&to=$((day + 86400))" '24 h, 10,000 series, 1,000 services'
one label-values-1h 200 "/api/v1/label-values?name=pod&from=$((day + 36000))&to=$((day + 39600))" 'the same, 1 h'
one label-names 200 "/api/v1/labels?from=$day&to=$((day + 86400))" 'names of labels, 24 h, 10,000 series'
stop_server

make_data large BENCH_STORE_SAMPLES=$((14500000 / scale)) BENCH_STORE_SERIES=50 BENCH_STORE_STACKS=5000 BENCH_STORE_DAYS=30 BENCH_STORE_SPANS=100
start_server
bench_report query-ready "$(ready_field ms)" ms less '' '' "from exec to \"ready\" on $(du -sLm "$SCRATCH/data" | cut -f1) MB"
flame large-first 1 86400 $end 'the first query after that start, 24 h'
stop_server
SERVER=
