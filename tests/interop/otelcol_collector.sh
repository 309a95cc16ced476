#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Spans, data points, log records and profiles pass from an OpenTelemetry Collector through ours to another one and
# back to a file of ours, by gRPC and HTTP with each compression: every acknowledged item arrives once.
set -eu
otelcol=${XDG_CACHE_HOME:-$HOME/.cache}/varve/otelcol/0.159.0/otelcol
[ -x "$otelcol" ] || {
	echo "no collector: interop/otelcol builds it"
	exit 77
}
ITEMS=${ITEMS:-$PWD/build/tests/items}
[ -x "$ITEMS" ] || {
	echo 'no ITEMS'
	exit 77
}
# shellcheck source=tests/server/collectors.sh
. tests/server/collectors.sh
cd "$SCRATCH"
signals='traces metrics logs profiles'
running=
trap 'for pid in $running; do kill -9 $pid 2>/dev/null || true; done' EXIT

fail() {
	for log in *.log; do
		echo "$log:"
		grep -v 'level=info\|	info	' "$log" | tail -5
	done
	echo "$1"
	exit 1
}

pipelines() { # receiver processors exporter; @ is the signal
	for signal in $signals; do
		echo "    $signal: {receivers: [$1], processors: [$2], exporters: [$3]}" | sed "s/@/$signal/g"
	done
}

# ours NAME: run NAME.yaml; sets $grpc and $http
ours() {
	NAME=$1 start_collector --config "$1.yaml" || fail "our collector does not start: $1"
	running="$running $COLLECTOR"
	grpc=$(collector_address 1) http=$(collector_address 2)
}

# theirs NAME EXPORTER: run an otelcol that sends everything by EXPORTER; sets $pid, $grpc and $http
theirs() {
	cat >"$1.yaml" <<END_YAML
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}, http: {endpoint: "127.0.0.1:0"}}}
exporters:
  $2
service:
  telemetry: {metrics: {level: none}}
  pipelines:
$(pipelines otlp '' "${2%%:*}")
END_YAML
	: >"$1.log"
	"$otelcol" --config "$1.yaml" --feature-gates=service.profilesSupport 2>"$1.log" &
	pid=$!
	running="$running $pid"
	tries=600
	until grep -q 'Everything is ready' "$1.log"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail "otelcol does not start: $1"
		sleep 0.1
	done
	grpc=$(sed -n 's/.*Starting GRPC server.*"endpoint": "\([^"]*\)".*/\1/p' "$1.log")
	http=$(sed -n 's/.*Starting HTTP server.*"endpoint": "\([^"]*\)".*/\1/p' "$1.log")
}

receiver='
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}, http: {endpoint: "localhost:0"}}}'

# way NAME OTELCOL_EXPORTER OUR_EXPORTER: otelcol -> ours -> otelcol -> ours; @ in an exporter is an address
way() {
	name=$1
	{
		echo "receivers:$receiver"
		echo 'exporters:'
		for signal in $signals; do
			echo "  file/$signal: {path: $name-$signal.out, format: proto}"
		done
		echo 'service:' && echo '  pipelines:'
		pipelines otlp '' file/@
	} >sink.yaml
	ours sink
	sink=$COLLECTOR
	theirs last "otlp_grpc: {endpoint: '$grpc', tls: {insecure: true}}"
	last=$pid
	case $3 in
	otlphttp*) next=http://$http ;;
	*) next=$grpc ;;
	esac
	{
		echo "receivers:$receiver"
		echo 'processors: {batch: {timeout: 100ms, send_batch_size: 500, send_batch_max_size: 700}}'
		echo 'exporters:'
		echo "  $3" | sed "s#@#$next#"
		echo 'service:' && echo '  pipelines:'
		pipelines otlp batch "${3%%:*}"
	} >middle.yaml
	ours middle
	middle=$COLLECTOR
	case $2 in
	otlp_http*) next=http://$http ;;
	*) next=$grpc ;;
	esac
	theirs first "$(echo "$2" | sed "s#@#$next#")"
	first=$pid
	for signal in $signals; do
		protocol=grpc address=$grpc
		[ "$signal" != logs ] || protocol=http address=$http
		"$ITEMS" send -k "$signal" -w $protocol -b "$base" -i 100 -n 30 -c 2 -u "$name-$signal.sent" "$address" >sent.json ||
			fail "$name: $signal cannot be sent to otelcol"
		grep -q '"refused": 0' sent.json || fail "$name: otelcol refuses $signal: $(cat sent.json)"
	done
	# each collector passes on what it holds before it ends
	kill -TERM $first
	wait $first || fail "$name: otelcol ended with $?"
	stop_collector TERM "$middle" || fail "$name: our collector did not end well"
	kill -TERM $last
	wait $last || fail "$name: otelcol ended with $?"
	stop_collector TERM "$sink" || fail "$name: our collector did not end well"
	running=
	for signal in $signals; do
		"$ITEMS" count -k "$signal" -b "$base" -i 100 -u "$name-$signal.sent" "$name-$signal.out" >counted.json ||
			fail "$name: $signal are lost: $(cat counted.json)"
		grep -q '"acknowledged": 3000,.*"lost": 0, "twice": 0, "foreign": 0' counted.json ||
			fail "$name: $signal differ: $(cat counted.json)"
	done
}

base=$(date +%s)000000000
for compression in none gzip zstd snappy; do
	way "grpc_$compression" "otlp_grpc: {endpoint: '@', compression: $compression, tls: {insecure: true}}" \
		"otlp: {endpoint: '@', compression: $compression, tls: {insecure: true}}"
done
for compression in none gzip zstd deflate zlib lz4 snappy x-snappy-framed; do
	way "http_$compression" "otlp_http: {endpoint: '@', compression: $compression}" \
		"otlphttp: {endpoint: '@', compression: $compression}"
done
way http_json "otlp_http: {endpoint: '@', encoding: json}" "otlphttp: {endpoint: '@', encoding: json}"
