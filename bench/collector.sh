#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures varve collector: items per CPU second of the collector alone, latency, memory, start.
# The generator (tests/server/items) sends requests of 1,000 items over gRPC, uncompressed, by 4
# connections; a span has 315 bytes and six attributes, a data point 156, a log record 250; the
# pipeline is otlp -> memory_limiter -> batch -> otlp, and the sink another collector with `nop`. All
# share the cores; so that memory and latency do not depend on who gets them, the queue of the
# exporter is short and blocks when it is full. With OTELCOL=program (with those components, and `transform` and `file_storage`
# for the pipelines that use them), it runs the same configuration in the same run, alternating with
# ours. Without it, its figures are reference values: otelcol 0.159 on a similar, quiet machine with
# 2 cores. COLLECTOR_SECONDS is the length of each of three rounds (5).
set -eu
. bench/bench.sh
# shellcheck source=tests/server/collectors.sh
. tests/server/collectors.sh
items=build-release/bench/items
seconds=${COLLECTOR_SECONDS:-5}
peer=${OTELCOL:-}
them="otelcol ($([ -n "$peer" ] && echo 'in this run' || echo '0.159, reference'))"
signals='traces metrics logs profiles'
running=
# shellcheck disable=SC2086 # several pids
trap 'kill $running 2>/dev/null || true' EXIT

# write_config FILE SINK PROCESSORS QUEUE EXTENSIONS
write_config() {
	cat >"$1" <<END_YAML
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:$port"}}}
processors:
  memory_limiter: {check_interval: 1s, limit_mib: 1024}
  batch: {}
$([ "$3" = "${3%transform*}" ] || echo '  transform: {trace_statements: [{context: span, statements: ["set(attributes[\"bench\"], \"yes\")"]}]}')
exporters:
  nop:
  otlp: {endpoint: "$2", compression: none, tls: {insecure: true}, sending_queue: {block_on_overflow: true, ${4:-queue_size: 20}}}
$([ -z "$5" ] || printf 'extensions:\n  file_storage: {directory: "%s", create_directory: true, fsync: true}\n' "$SCRATCH/queue")
service:
$([ -z "$5" ] || echo '  extensions: [file_storage]')
  telemetry: {metrics: {level: none}}
  pipelines:
$(for signal in ${6:-$signals}; do echo "    $signal: {receivers: [otlp], processors: [$3], exporters: [otlp]}"; done)
END_YAML
}

# free_port: set $port to an unused one
free_port() {
	port=$((20000 + $$ % 10000))
	while grep -q ":$(printf %04X $port) " /proc/net/tcp; do port=$((port + 1)); done
}

# start_peer FILE: start otelcol and wait for its port; sets PEER
start_peer() {
	"$peer" --config "$1" --feature-gates=service.profilesSupport 2>"$SCRATCH/peer.log" &
	PEER=$!
	running="$running $PEER"
	for _ in $(seq 100); do
		grep -q 'Everything is ready' "$SCRATCH/peer.log" && return
		sleep 0.1
	done
	tail -5 "$SCRATCH/peer.log"
	return 1
}

# load PID SIGNAL OUT [options]
load() {
	of=$1 signal=$2 result=$3
	shift 3
	"$items" send -k "$signal" -c 4 -i 1000 -s "$seconds" -p "$of" "$@" "127.0.0.1:$port" >"$result"
	jq -e '.refused + .failed == 0' "$result" >/dev/null || {
		echo "collector: requests failed:" && cat "$result"
		return 1
	}
}

# median_of FIELD FILE...: the median of a field of several results
median_of() {
	field=$1
	shift
	jq -s "map(.$field) | sort | .[length / 2 | floor]" "$@"
}

# report NAME FIELD SCALE UNIT more|less REFERENCE METHOD: the medians of a field of ours and of the peer's, or the reference
report() {
	ours=$(median_of "$2" "$SCRATCH/$1".*.json | awk "{ print \$1 / $3 }")
	theirs=$6 whose=$them
	[ -z "$peer" ] || theirs=$(median_of "$2" "$SCRATCH/$1".*.peer | awk "{ print \$1 / $3 }")
	[ -n "$theirs" ] || whose=
	case $2 in items_per_cpu_s) what=$1 ;; *) what=$1-${2%%_*} ;; esac
	bench_report "collector-$what" "$ours" "$4" "$5" "$whose" "$theirs" "$7"
}

# measure_pipeline NAME SIGNAL PROCESSORS QUEUE EXTENSIONS REFERENCES UNIT [options]: ours and the peer, three
# rounds. REFERENCES are items per CPU second, and MiB
measure_pipeline() {
	name=$1 signal=$2 reference=${6% *} reference_peak=${6#* } unit=$7 options=${8:-}
	free_port
	write_config "$SCRATCH/$name.yaml" "$sink" "$3" "$4" "$5" "$signal"
	for round in 1 2 3; do
		rm -rf "$SCRATCH/queue"
		NAME=ours start_collector --config "$SCRATCH/$name.yaml"
		running="$running $COLLECTOR"
		# shellcheck disable=SC2086 # several words
		load "$COLLECTOR" "$signal" "$SCRATCH/$name.$round.json" $options
		stop_collector
		[ -n "$peer" ] || continue
		rm -rf "$SCRATCH/queue"
		start_peer "$SCRATCH/$name.yaml"
		# shellcheck disable=SC2086 # several words
		load "$PEER" "$signal" "$SCRATCH/$name.$round.peer" $options
		kill "$PEER" && wait "$PEER" || true
	done
	method="$3, otlp${4:+ with $4}${options:+, items $options}; median of 3 rounds of $seconds s; p50 $(median_of p50_ms "$SCRATCH/$name".*.json) ms, p99 $(median_of p99_ms "$SCRATCH/$name".*.json) ms"
	report "$name" items_per_cpu_s 1 "$unit/CPU-s" more "$reference" "$method"
	report "$name" peak_kb 1024 MiB less "$reference_peak" "$method; resident, with what the queue holds"
}

# ---- start and idle ----

free_port
write_config "$SCRATCH/idle.yaml" 127.0.0.1:1 'memory_limiter, batch' '' ''
: >"$SCRATCH/starts"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	began=$(date +%s%N)
	NAME=idle start_collector --config "$SCRATCH/idle.yaml"
	ready=$(date -d "$(sed -n 's/^ts=\([^ ]*\) .*Everything is ready.*/\1/p' "$COLLECTOR_LOG")" +%s%N)
	echo "$(((ready - began) / 1000))" >>"$SCRATCH/starts"
	stop_collector
done
bench_report collector-start "$(median starts | awk '{ print $1 / 1000 }')" ms less "$them" 50 'from before exec to the ready line, median of 10; otelcol: reference'
NAME=idle start_collector --config "$SCRATCH/idle.yaml"
running=$COLLECTOR
sleep 2
bench_report collector-idle "$(awk '/VmRSS/ { print $2 / 1024 }' "/proc/$COLLECTOR/status")" MiB less "$them" 78 \
	'resident, two seconds after the start, four pipelines; otelcol: reference'
stop_collector

# ---- load ----

cat >"$SCRATCH/sink.yaml" <<'END_YAML'
receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}}}}
exporters: {nop: }
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [nop]}
    metrics: {receivers: [otlp], exporters: [nop]}
    logs: {receivers: [otlp], exporters: [nop]}
    profiles: {receivers: [otlp], exporters: [nop]}
END_YAML
NAME=sink start_collector --config "$SCRATCH/sink.yaml"
running=$COLLECTOR
sink=$(collector_address 1)
plain='memory_limiter, batch'
measure_pipeline traces traces "$plain" '' '' '473000 166' spans
measure_pipeline metrics metrics "$plain" '' '' '774000 149' points
measure_pipeline logs logs "$plain" '' '' ' ' records
# the batch processor of otelcol refuses profiles: the reference of batches is its exporter's batching
measure_pipeline profiles profiles memory_limiter '' '' '1190000 323' samples
[ -n "$peer" ] || measure_pipeline profiles-batch profiles "$plain" '' '' '108000 531' samples
measure_pipeline paced traces "$plain" '' '' ' ' spans '-r 200000'
measure_pipeline transform traces 'memory_limiter, transform, batch' '' '' ' ' spans
# the reference has no batch: otelcol loses what its batch holds when it is killed
measure_pipeline durable traces memory_limiter 'storage: file_storage' storage '110000 146' spans
[ -n "$peer" ] || measure_pipeline durable-batch traces "$plain" 'storage: file_storage' storage '110000 146' spans
