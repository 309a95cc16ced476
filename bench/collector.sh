#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures varve collector: items per CPU second of the collector alone, latency, memory, start.
# The generator (tests/server/items) sends requests of 1,000 items over gRPC, uncompressed, by 4
# connections; a span has 315 bytes and six attributes, a data point 156, a log record 250; the
# pipeline is otlp -> memory_limiter -> batch -> otlp, and the sink another collector with `nop`. All
# share the cores; so that memory and latency do not depend on who gets them, the queue of the
# exporter is short and blocks when it is full. With OTELCOL=program (with those components, and
# `transform` and `file_storage` for the pipelines that use them; bench/collector/otelcol.sh builds it),
# it runs the same configuration in the same run, alternating with ours. Without it, its figures are
# reference values: otelcol 0.159 on a similar, quiet machine with 2 cores. COLLECTOR_SECONDS is the
# length of each round (5), COLLECTOR_ROUNDS their number (3).
set -eu
. bench/bench.sh
# shellcheck source=tests/server/collectors.sh
. tests/server/collectors.sh
items=build-release/bench/items
seconds=${COLLECTOR_SECONDS:-5}
rounds=${COLLECTOR_ROUNDS:-3}
peer=${OTELCOL:-}
reference_name='otelcol (0.159, reference)'
them='otelcol (in this run)'
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
	: >"$SCRATCH/peer.log"
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
	"$items" send -k "$signal" -c 4 -i 1000 -s "$seconds" -p "$of" "$@" "127.0.0.1:$port" >"$result" || true
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

# report NAME FIELD SCALE UNIT more|less REFERENCE METHOD: the medians of a field of ours and of the peer's, or the
# reference
report() {
	ours=$(median_of "$2" "$SCRATCH/$1".*.json | awk "{ print \$1 / $3 }")
	theirs=$6 whose=$reference_name
	if [ -f "$SCRATCH/$1.1.peer" ]; then
		theirs=$(median_of "$2" "$SCRATCH/$1".*.peer | awk "{ print \$1 / $3 }") whose=$them
	fi
	[ -n "$theirs" ] || whose=
	case $2 in items_per_cpu_s) what=$1 ;; *) what=$1-${2%%_*} ;; esac
	bench_report "collector-$what" "$ours" "$4" "$5" "$whose" "$theirs" "$7"
}

# measure_pipeline NAME SIGNAL PROCESSORS QUEUE EXTENSIONS REFERENCES UNIT [options]: ours and the peer, by turns.
# REFERENCES are items per CPU second, and MiB. With $alone, only ours
alone=
measure_pipeline() {
	name=$1 signal=$2 reference=${6% *} reference_peak=${6#* } unit=$7 options=${8:-}
	free_port
	write_config "$SCRATCH/$name.yaml" "$sink" "$3" "$4" "$5" "$signal"
	for round in $(seq "$rounds"); do
		rm -rf "$SCRATCH/queue"
		NAME=ours start_collector --config "$SCRATCH/$name.yaml"
		running="$running $COLLECTOR"
		# shellcheck disable=SC2086 # several words
		load "$COLLECTOR" "$signal" "$SCRATCH/$name.$round.json" $options
		stop_collector
		if [ -z "$peer" ] || [ -n "$alone" ]; then continue; fi
		rm -rf "$SCRATCH/queue"
		start_peer "$SCRATCH/$name.yaml"
		# shellcheck disable=SC2086 # several words
		load "$PEER" "$signal" "$SCRATCH/$name.$round.peer" $options
		kill "$PEER" && wait "$PEER" || true
	done
	method="$3, otlp${4:+ with $4}${options:+, items $options}; median of $rounds rounds of $seconds s; p50 $(median_of p50_ms "$SCRATCH/$name".*.json) ms, p99 $(median_of p99_ms "$SCRATCH/$name".*.json) ms"
	report "$name" items_per_cpu_s 1 "$unit/CPU-s" more "$reference" "$method"
	report "$name" peak_kb 1024 MiB less "$reference_peak" "$method; resident, with what the queue holds"
}

# ---- start and idle ----

free_port
write_config "$SCRATCH/idle.yaml" 127.0.0.1:1 'memory_limiter, batch' '' '' 'traces metrics logs'
# time_of LOG: the time of the ready line, in ns
time_of() {
	date -d "$(sed -n 's/^\(ts=\)\{0,1\}\([^ 	]*\)[ 	].*Everything is ready.*/\2/p' "$1")" +%s%N
}
resident() {
	awk '/VmRSS/ { print $2 / 1024 }' "/proc/$1/status"
}
for _ in 1 2 3 4 5 6 7 8 9 10; do
	began=$(date +%s%N)
	NAME=idle start_collector --config "$SCRATCH/idle.yaml"
	echo "$((($(time_of "$COLLECTOR_LOG") - began) / 1000))" >>"$SCRATCH/starts"
	stop_collector
	[ -n "$peer" ] || continue
	began=$(date +%s%N)
	start_peer "$SCRATCH/idle.yaml"
	echo "$((($(time_of "$SCRATCH/peer.log") - began) / 1000))" >>"$SCRATCH/peer-starts"
	kill "$PEER" && wait "$PEER" || true
done
NAME=idle start_collector --config "$SCRATCH/idle.yaml"
running=$COLLECTOR
start=50 idle=78 whose=$reference_name
if [ -n "$peer" ]; then
	free_port
	write_config "$SCRATCH/peer.yaml" 127.0.0.1:1 'memory_limiter, batch' '' '' 'traces metrics logs'
	start_peer "$SCRATCH/peer.yaml"
	sleep 2
	start=$(median peer-starts | awk '{ print $1 / 1000 }') idle=$(resident "$PEER") whose=$them
	kill "$PEER" && wait "$PEER" || true
else
	sleep 2
fi
bench_report collector-start "$(median starts | awk '{ print $1 / 1000 }')" ms less "$whose" "$start" 'from before exec to the ready line, median of 10'
bench_report collector-idle "$(resident "$COLLECTOR")" MiB less "$whose" "$idle" 'resident, two seconds after the start, three pipelines'
stop_collector
running=

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
# the batch processor of otelcol refuses profiles
measure_pipeline profiles profiles memory_limiter '' '' '1190000 323' samples
# the reference of batches of profiles is the batching of otelcol's exporter
alone=yes
measure_pipeline profiles-batch profiles "$plain" '' '' '108000 531' samples
alone=
measure_pipeline paced traces "$plain" '' '' ' ' spans '-r 200000'
measure_pipeline transform traces 'memory_limiter, transform, batch' '' '' ' ' spans
# no batch: otelcol loses what its batch holds when it is killed; ours has a journal before it
measure_pipeline durable traces memory_limiter 'storage: file_storage' storage '110000 146' spans
alone=yes
measure_pipeline durable-batch traces "$plain" 'storage: file_storage' storage '110000 146' spans
