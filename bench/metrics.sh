#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Metrics: durable samples per CPU-second by remote write and OTLP with all merges, the time of
# acknowledgements, bytes per sample, the time of lists, and memory of many active series. The data
# is described in bench/metrics_load.c. METRICS_SERIES (2,000), METRICS_STEPS (1,440 of 15 s: 6 h),
# METRICS_MANY (1,000,000 active series; 0: skip).
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
series=${METRICS_SERIES:-2000}
steps=${METRICS_STEPS:-1440}
many=${METRICS_MANY:-1000000}
load=build-release/bench/metrics_load
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true' EXIT

cpu() { awk '{ print ($14 + $15) / 100 }' "/proc/$SERVER/stat"; }
field() { jq ".$1" "$SCRATCH/load.json"; }

# blocks QUERY: of all days
blocks() {
	for db in "$SCRATCH"/data/2*.db; do
		sqlite3 "$db" "$1"
	done | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

# one NAME FORM KIND SERIES STEPS CONNECTIONS: send, wait for the merges, report
one() {
	rm -rf "$SCRATCH/data"
	start_server --memory-limit 2G
	"$load" "${URL##*:}" "$SERVER" "$2" "$3" "$4" "$5" "$6" >"$SCRATCH/load.json"
	sleep 25
	used=$(cpu)
	rate=$(awk -v n="$(field samples)" -v a="$(field before)" -v b="$used" 'BEGIN { print n / (b - a) }')
	bench_report "metrics-$1-samples" "$rate" samples/s more '' '' \
		"per CPU-second of the server with all merges: $3 series, $4 x $5 samples by $2, $6 connections"
	bench_report "metrics-$1-ack" "$(field p99)" ms less '' '' "p99 of requests of 2,000 samples (p50 $(field p50))"
	bytes=$(blocks 'SELECT sum(bytes) FROM metrics')
	samples=$(blocks 'SELECT sum(samples) FROM metrics WHERE kind IN (2, 3)')
	bench_report "metrics-$1-bytes" "$(awk -v b="$bytes" -v n="$samples" 'BEGIN { print b / n }')" B less '' '' \
		'per sample, label sets and index included, before hours are merged for the last time'
	bench_report "metrics-$1-memory" "$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$SERVER/status")" MiB less '' '' 'peak resident memory'
}

lists() { # name path
	best=$(for _ in 1 2 3 4 5 6 7 8 9 10; do
		curl -gsf -o /dev/null -w '%{time_total}\n' "$URL/prometheus/api/v1/$2"
	done | sort -n | head -n 5 | tail -n 1)
	bench_report "metrics-$1" "$(awk -v t="$best" 'BEGIN { print t * 1000 }')" ms less '' '' "elapsed time of $2"
}

one counters remote-write counter "$series" "$steps" 4
lists label-values label/pod/values
lists label-values-matched 'label/pod/values?match[]=metric_1_total'
lists series 'series?match[]=metric_1_total{job="job-1"}'
stop_server
one noisy remote-write noisy "$series" "$steps" 4
stop_server
one otlp otlp counter "$series" "$steps" 4
stop_server
one large remote-write counter $((series * 100)) $((steps / 100)) 4
stop_server
if [ "$many" -gt 0 ]; then
	one million remote-write unique "$many" 3 4
	lists million-label-values 'label/job/values'
	lists million-series 'series?match[]=metric_1_total{instance="host-77.example.com:9100"}'
	stop_server
fi
