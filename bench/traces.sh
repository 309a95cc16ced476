#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # functions with optional arguments
# Spans: ingest with fsync, bytes per span, and latencies of queries over HTTP, elapsed time, for
# stores of two sizes. bench/traces_fill.c makes the days of spans (366 bytes of OTLP, ten a trace, six
# attributes of which two are unique). TRACES_SIZES are the numbers of spans (100000 10000000),
# TRACES_DIR keeps the data in that directory and reuses what exists. Anchors of Tempo 3 and
# VictoriaTraces are from runs on two cores, 1 M spans.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
data=${TRACES_DIR:-$SCRATCH/traces}
fill=build-release/bench/traces_fill
ask=build-release/bench/ask
load=build-release/bench/load
day=$((20000 * 86400))
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true' EXIT

encode() { printf %s "$1" | jq -sRr @uri; }
cpu_of() { awk '{ print ($14 + $15) / 100 }' "/proc/$1/stat"; }
rss_of() { awk '/VmHWM/ { print $2 / 1024 }' "/proc/$1/status"; }

# make_day NAME SPANS [repeat]: make the data directory NAME unless it exists
make_day() {
	if [ ! -d "$data/$1" ]; then
		mkdir -p "$data/$1.part"
		"$fill" "$data/$1.part" "$2" ${3:-} >"$data/$1.numbers"
		mv "$data/$1.part" "$data/$1"
	fi
	rm -f "$SCRATCH/data"
	ln -s "$data/$1" "$SCRATCH/data"
	read -r spans rate bytes <"$data/$1.numbers"
}

# search QUERY FROM TO [parameters]: the URL of a search, times in seconds of the day
search() { echo "$URL/api/search?q=$(encode "$1")&start=$((day + $2))&end=$((day + $3))${4:-}"; }
metrics() { echo "$URL/api/metrics/query_range?q=$(encode "$1")&start=$((day + $2))&end=$((day + $3))&step=${4:-60}"; }

# measure_urls NAME TIMES PEER PEER_MS METHOD: query the URLs of the file `urls` in turn
measure_urls() {
	before=$(cpu_of "$SERVER")
	# shellcheck disable=SC2046 # one word per URL
	"$ask" "$2" $(cat "$SCRATCH/urls") >"$SCRATCH/one.json"
	cpu=$(awk -v a="$before" -v b="$(cpu_of "$SERVER")" -v n="$2" 'BEGIN { printf "%.1f", (b - a) * 1000 / n }')
	field() { jq ".$1" "$SCRATCH/one.json"; }
	bench_report "traces-$1" "$(field p99)" ms less "$3" "$4" "p99 of $2 (first $(field first), p50 $(field p50) ms, $cpu ms of CPU on average, $(field bytes) bytes): $5; $spans spans in a day"
}
# each_sample COUNT FUNCTION: call FUNCTION trace second service request order for samples
each_sample() {
	"$fill" -s "$1" "$spans" >"$SCRATCH/samples"
	while read -r trace second service request order; do
		"$2" "$trace" "$second" "$service" "$request" "$order"
	done <"$SCRATCH/samples" >"$SCRATCH/urls"
}
hour_of() { # second of the day: the begin of an hour around it
	from=$(($1 - 1800))
	[ $from -ge 0 ] || from=0
	[ $from -le 82800 ] || from=82800
}
by_id() { echo "$URL/api/traces/$1"; }
by_service() { hour_of "$2"; search "{ resource.service.name = \"service-$3\" && duration > 500ms }" "$from" $((from + 3600)); }
by_request() { search "{ span.http.request.id = \"$4\" }" 0 86400; }
by_path() { search "{ span.url.path = \"/api/orders/$5/items\" }" 0 86400; }
by_method() { search '{ span.http.request.method = "GET" }' 0 "$(($2 < 3600 ? 3600 : $2))" '&limit=20'; }
by_structure() { hour_of "$2"; search "{ resource.service.name = \"service-$3\" && status = error } >> { duration > 1s }" "$from" $((from + 3600)); }

queries() {
	start_server
	each_sample 500 by_id
	measure_urls "by-id-$1" 500 'Tempo 3, 1 M spans' 200 'trace by id'
	each_sample 100 by_service
	measure_urls "service-duration-1h-$1" 200 'Tempo 3, 1 M spans' 172 'service and duration over 1 h'
	each_sample 50 by_request
	measure_urls "rare-$1" 100 '' '' 'a value that one span has, over 24 h'
	each_sample 50 by_path
	measure_urls "rare-path-$1" 100 '' '' 'a value that one span has, with a common prefix, over 24 h'
	each_sample 50 by_method
	measure_urls "common-$1" 100 '' '' 'a value that half of the spans have, limit 20, over up to 24 h'
	each_sample 20 by_structure
	measure_urls "structure-$1" 20 '' '' 'errors of a service with slow spans below, 1 h'
	search '{ span.http.request.id = "none" }' 0 86400 >"$SCRATCH/urls"
	measure_urls "absent-$1" 20 '' '' 'a value that no span has, over 24 h'
	search '{ name =~ "GET.*1" && duration > 1900ms && status = error }' 0 86400 >"$SCRATCH/urls"
	measure_urls "regex-$1" 5 '' '' 'a regular expression and two conditions, over 24 h'
	metrics '{ status = error } | rate() by (resource.service.name)' 43200 46800 >"$SCRATCH/urls"
	measure_urls "errors-1h-$1" 20 '' '' 'rate of errors by service over 1 h'
	metrics '{} | quantile_over_time(duration, .99) by (resource.service.name)' 43200 46800 >"$SCRATCH/urls"
	measure_urls "quantile-1h-$1" 5 '' '' 'p99 of all durations by service over 1 h'
	bench_report "traces-query-rss-$1" "$(rss_of "$SERVER")" MB less '' '' "peak memory of these queries; $spans spans"
	stop_server
	SERVER=
}

# ---- a day of spans ----

for size in ${TRACES_SIZES-100000 10000000}; do
	make_day "unique-$size" "$size"
	bench_report "traces-bytes-$size" "$(awk -v b="$bytes" -v n="$spans" 'BEGIN { print b / n }')" B less 'Tempo 3' 400 "live bytes per span; two of six attributes are unique; $spans spans"
	bench_report "traces-fill-$size" "$rate" spans/s more 'Tempo 3 with its blocks written' 13000 "spans per CPU-second of the store, making the spans and all merges included; $spans spans"
	queries "$size"
done
make_day repeat-1000000 1000000 repeat
bench_report traces-bytes-repeating "$(awk -v b="$bytes" -v n="$spans" 'BEGIN { print b / n }')" B less VictoriaTraces 18 "live bytes per span; attributes repeat, ids do not; $spans spans"

# ---- ingest over HTTP ----

# ingest NAME RATE SECONDS: send spans at RATE requests per second (0: as fast as they are answered)
ingest() {
	rm -rf "$SCRATCH/data"
	mkdir "$SCRATCH/data"
	start_server
	"$load" -k traces -c 16 -r "$2" -s "$3" -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/load.json"
	sleep 20 # merges
	sent=$(jq '.acknowledged * 500' "$SCRATCH/load.json")
	bench_report "traces-ingest-$1" "$(awk -v n="$sent" -v c="$(cpu_of "$SERVER")" 'BEGIN { print n / c }')" spans/s more 'Tempo 3 in a burst' 108000 "spans per CPU-second of the server, durable before they are acknowledged, merges included; $sent spans of 319 bytes in requests of 500"
	bench_report "traces-ack-$1" "$(jq .p99_ms "$SCRATCH/load.json")" ms less '' '' "p99 of the acknowledgement (p50 $(jq .p50_ms "$SCRATCH/load.json") ms), $(jq .spans_per_s "$SCRATCH/load.json") spans/s, the generator on the same cores"
	bench_report "traces-rss-$1" "$(rss_of "$SERVER")" MB less VictoriaTraces 261 'peak memory of the same'
	stop_server
	SERVER=
}
ingest burst 0 10
ingest 10k 20 20
