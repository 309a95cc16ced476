#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the running server: CPU cost and latency of ingest, memory and CPU when idle, time to
# start and to stop. The generator (tests/server/load.c: 550 samples and 137 KB of pprof on average,
# 32 series) runs on the same cores. With PYROSCOPE=program the peer gets the same load in the same
# run, alternating with Varve. Without it, its figures are reference values: Pyroscope 2.x on a
# similar, quiet machine with a similar generator. On a machine with shared cores both ingest half
# as much per CPU second in a busy hour.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
# shellcheck source=bench/server/peer.sh
. bench/server/peer.sh
load=build-release/bench/load
trap 'kill "$SERVER" 2>/dev/null || true; peer_stop' EXIT

SELF_PROFILE=on # the default of users
start_server
ready=$(ready_field ms)
bench_report server-ready "$ready" ms less 'Pyroscope 2.x (reference)' 1600 'from exec to "ready" on an empty directory, as logged'
sleep 2
rss=$(awk '/VmRSS/ { print $2 / 1024 }' "/proc/$SERVER/status")
cpu_ns() { cat "/proc/$SERVER/task/"*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'; } # /proc/PID/stat counts ticks of 10 ms, 0.03 % of the interval each
before=$(cpu_ns)
sleep 30
idle=$(awk -v a="$before" -v b="$(cpu_ns)" 'BEGIN { printf "%.3f", (b - a) / 30e9 * 100 }')
bench_report server-idle-memory "$rss" MB less 'Pyroscope 2.x (reference)' 92 'resident, two seconds after the start'
bench_report server-idle-cpu "$idle" % less '' '' 'of one core, over 30 s without requests, including its own profile every 15 s'

peer=$(mktemp "$SCRATCH/peer.XXXXXX") # result of the peer, if it is measured
measured=no
peer_start && measured=yes

# of_peer FIELD REFERENCE: the measured or the reference value of the peer
of_peer() {
	if [ $measured = yes ]; then jq -r ".$1" "$peer"; else echo "$2"; fi
}

# one NAME KIND CONNECTIONS RATE REFERENCE-MB-PER-CPU-SECOND [options]
one() {
	name=$1 kind=$2 connections=$3 rate=$4 reference=$5
	shift 5
	set -- -k "$kind" -c "$connections" -r "$rate" -s 8 "$@"
	[ $measured = no ] || peer_load "$peer" "$@"
	"$load" "$@" -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/$name.json"
	field() { jq -r ".$1" "$SCRATCH/$name.json"; }
	method="$kind, $connections connections, $([ "$rate" = 0 ] && echo 'full speed' || echo "$rate profiles/s"), durable, 8 s, generator on the same cores"
	them="Pyroscope 2.x ($([ $measured = yes ] && echo 'in this run' || echo reference))"
	[ "$reference" = 0 ] || bench_report "server-$name-cost" "$(field mb_per_cpu_s)" 'MB of pprof/CPU-s' more "$them" "$(of_peer mb_per_cpu_s "$reference")" \
		"$method; uncompressed bytes over CPU time of the server, background work included"
	[ "$rate" != 0 ] || bench_report "server-$name-rate" "$(field profiles_per_s)" profiles/s more "$them" "$(of_peer profiles_per_s 195)" "$method"
	bench_report "server-$name-p99" "$(field p99_ms)" ms less "$them" "$(of_peer p99_ms "$([ "$rate" = 0 ] && echo 1122 || echo 512)")" \
		"$method; from the time it was due to the acknowledgement"
}
one push push 128 0 26
one push-gzip push 128 0 26 -z
one ingest ingest 128 0 26
one otlp otlp 128 0 16
one push-8 push 8 0 17.3
one push-384 push 384 0 23.4
one push-paced push 8 100 0
# spans: 500 per request, with attributes that are skipped
"$load" -k traces -c 16 -s 8 -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/traces.json"
bench_report server-traces-cost "$(jq -r .spans_per_cpu_s "$SCRATCH/traces.json")" spans/CPU-s more '' '' \
	'OTLP protobuf by HTTP, 16 connections, full speed, durable, 8 s; spans over CPU time of the server, background work included'
bench_report server-traces-rate "$(jq -r .spans_per_s "$SCRATCH/traces.json")" spans/s more '' '' 'the same; generator on the same cores'
bench_report server-traces-p99 "$(jq -r .p99_ms "$SCRATCH/traces.json")" ms less '' '' 'the same; from the time it was due to the acknowledgement'
peak=$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$SERVER/status")
bench_report server-peak-memory "$peak" MB less 'Pyroscope 2.x (reference)' 1952 'peak resident over all runs above'

peer_stop
start=$(date +%s%N)
stop_server
trap - EXIT
bench_report server-traces-disk "$("$VARVE" store stats "$SCRATCH/data" --json | jq '.bytes_spans / .spans')" B/span less '' '' \
	'bytes stored per span, Bloom filters included, mostly merged'
bench_report server-stop "$((($(date +%s%N) - start) / 1000000))" ms less 'Pyroscope 2.x (reference)' 33000 'from SIGTERM to the end, right after the load'
