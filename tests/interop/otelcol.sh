#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An OpenTelemetry Collector forwards profiles and traces to the server by gRPC and HTTP with each
# compression, and they are stored unchanged. The collector drops and logs data with permanent
# errors. It retries data that the server could not accept, or accepted without the response
# arriving; the server stores it once.
set -eu
for tool in go curl; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
# shellcheck source=tests/server/server.sh
. tests/server/server.sh

# the collector is built once and cached outside the tree
version=0.159.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/varve/otelcol/$version
otelcol=$cache/otelcol
build_collector() {
	mkdir -p "$cache/build"
	cat >"$cache/build.yaml" <<END_YAML
dist:
  name: otelcol
  output_path: $cache/build
  version: $version
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v$version
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/otlpexporter v$version
  - gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter v$version
END_YAML
	GOBIN=$cache go install go.opentelemetry.io/collector/cmd/builder@v$version &&
		"$cache/builder" --config "$cache/build.yaml" --skip-compilation &&
		(cd "$cache/build" && go mod download)
}
if [ ! -x "$otelcol" ]; then
	build_collector >"$SCRATCH/build.log" 2>&1 || {
		tail -1 "$SCRATCH/build.log"
		echo "the modules of the collector $version cannot be downloaded"
		exit 77
	}
	(cd "$cache/build" && go build -o "$otelcol.new" . && mv "$otelcol.new" "$otelcol") >"$SCRATCH/build.log" 2>&1 || {
		tail -20 "$SCRATCH/build.log"
		echo "the collector $version does not build"
		exit 1
	}
fi

fail() {
	grep -v 'info' "$SCRATCH/otelcol.log" | tail -20
	tail -5 "$SCRATCH/server.log"
	echo "$1"
	exit 1
}

# ---- the collector: a receiver and an exporter for each protocol and compression ----

ways='grpc_none grpc_gzip grpc_zstd http_none http_gzip http_zstd http_deflate http_zlib http_lz4'
unauthorized='grpc_unauthorized http_unauthorized' # exporters without a token
echo 0123456789abcdef-collector >"$SCRATCH/token"

exporter_of() { # way
	compression=${1#*_}
	headers="headers: {authorization: 'Bearer 0123456789abcdef-collector'}"
	[ "$compression" != unauthorized ] || {
		compression=gzip
		headers='headers: {}'
	}
	options="compression: $compression, $headers, timeout: 1s, retry_on_failure: {initial_interval: 100ms, max_interval: 500ms}"
	case $1 in
	grpc_*) echo "  otlp_grpc/$1: {endpoint: '127.0.0.1:$PORT', tls: {insecure: true}, $options}" ;;
	http_*) echo "  otlp_http/$1: {endpoint: '$URL', $options}" ;;
	esac
}
write_config() {
	echo 'receivers:'
	for way in $ways $unauthorized; do
		echo "  otlp/$way: {protocols: {http: {endpoint: '127.0.0.1:0'}}}"
	done
	echo 'exporters:'
	for way in $ways $unauthorized; do
		exporter_of "$way"
	done
	echo 'service:'
	echo '  telemetry: {metrics: {level: none}, logs: {sampling: {enabled: false}}}'
	echo '  pipelines:'
	for way in $ways $unauthorized; do
		echo "    profiles/$way: {receivers: [otlp/$way], exporters: [otlp_${way%_*}/$way]}"
		echo "    traces/$way: {receivers: [otlp/$way], exporters: [otlp_${way%_*}/$way]}"
	done
}
start_collector() {
	write_config >"$SCRATCH/otelcol.yaml"
	"$otelcol" --config "$SCRATCH/otelcol.yaml" --feature-gates=service.profilesSupport 2>"$SCRATCH/otelcol.log" &
	COLLECTOR=$!
	await_log 'Everything is ready' 'the collector did not start'
}
# fail with $2 unless the collector logs $1
await_log() {
	for _ in $(seq "$SERVER_PATIENCE"); do
		! grep -q "$1" "$SCRATCH/otelcol.log" || return 0
		sleep 0.1
	done
	fail "$2"
}
address_of() { # way
	sed -n "s#.*Starting HTTP server.*\"otlp/$1\".*\"endpoint\": \"\\([^\"]*\\)\".*#\\1#p" "$SCRATCH/otelcol.log"
}
# restart the server on the same port and directory
restart_server() {
	start_server --token-file "$SCRATCH/token" --listen "127.0.0.1:$PORT"
}

# ---- profiles ----

now=$(date +%s)
last_id=0
# write a profile of this service with a new id to $SCRATCH/sent.otlp.json
make_profile() {
	last_id=$((last_id + 1))
	id=$(printf '%032x' $last_id)
	sed -e "s/SERVICE/$1/" -e "s/PROFILE_ID/$id/" -e "s/TIME/${now}000000000/" >"$SCRATCH/sent.otlp.json" <<'END_JSON'
{"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"SERVICE"}}]},
"scopeProfiles":[{"scope":{"name":"interop"},"profiles":[{"profileId":"PROFILE_ID","timeUnixNano":"TIME","durationNano":"1000000000",
"sampleType":{"typeStrindex":1,"unitStrindex":2},"periodType":{"typeStrindex":1,"unitStrindex":2},"period":"1",
"samples":[{"stackIndex":1,"values":["7"]},{"stackIndex":2,"attributeIndices":[1],"linkIndex":1,"values":["35"]}]}]}]}],
"dictionary":{"mappingTable":[{}],"stringTable":["","cpu","nanoseconds","main","work","main.c","thread.name","worker"],
"functionTable":[{},{"nameStrindex":3,"filenameStrindex":5,"startLine":"2"},{"nameStrindex":4,"filenameStrindex":5}],
"locationTable":[{},{"lines":[{"functionIndex":1,"line":"3"}]},{"lines":[{"functionIndex":2,"line":"9"}]}],
"stackTable":[{},{"locationIndices":[1]},{"locationIndices":[2,1]}],
"linkTable":[{},{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708"}],
"attributeTable":[{},{"keyStrindex":6,"value":{"stringValue":"worker"}}]}}
END_JSON
}
send() { # way
	curl -sS -f -o /dev/null -H 'content-type: application/json' --data-binary "@$SCRATCH/sent.otlp.json" \
		"http://$(address_of "$1")/v1development/profiles"
}
query() { "$VARVE" query --url "$URL" --token-file "$SCRATCH/token" --from now-1h --to now+1h "$@"; }
stacks_of() { # service
	query profile "$1" --type cpu -o "$SCRATCH/got.folded" 2>/dev/null && sort "$SCRATCH/got.folded"
}
# Wait until the service has the sums of $2 profiles; it must not get more afterwards.
await_profiles() { # service count what
	printf 'main %d\nmain;work %d\n' $((7 * $2)) $((35 * $2)) >"$SCRATCH/expected"
	for _ in $(seq "$SERVER_PATIENCE"); do
		stacks_of "$1" | cmp -s - "$SCRATCH/expected" && return
		sleep 0.1
	done
	stacks_of "$1" | diff - "$SCRATCH/expected" || true
	fail "$3"
}

COLLECTOR=
end() {
	[ -z "$COLLECTOR" ] || kill "$COLLECTOR" 2>/dev/null || true
	kill -KILL "$SERVER" 2>/dev/null || true
	wait
}
trap end EXIT
start_server --token-file "$SCRATCH/token"
start_collector

# ---- stored data equals the data sent ----

for way in $ways; do
	make_profile "$way"
	send "$way"
	await_profiles "$way" 1 "$way: what arrived is not what was sent"
done
query top grpc_none --type cpu -n 0 -g line -o "$SCRATCH/got.otlp"
make_profile grpc_none
for file in sent.otlp.json got.otlp; do
	"$VARVE" top "$SCRATCH/$file" -n 0 -g line --json | sed -n '/"rows"/,$p' >"$SCRATCH/top.$file"
done
cmp "$SCRATCH/top.sent.otlp.json" "$SCRATCH/top.got.otlp" || fail 'files or lines differ from those sent'
query labels grpc_none --name thread.name | grep -q worker || fail 'an attribute of a sample is lost'

# spans in the same way: each is the child of a span that is never sent
trace=0
for way in $ways; do
	trace=$((trace + 1))
	id=$(printf '%032x' $trace)
	curl -sS -f -o /dev/null -H 'content-type: application/json' --data \
		"{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"$way\"}}]},\"scopeSpans\":[{\"spans\":[{
		\"traceId\":\"$id\",\"spanId\":\"0000000000000001\",\"parentSpanId\":\"0000000000000002\",\"name\":\"by $way\",\"kind\":3,
		\"startTimeUnixNano\":\"${now}000000000\",\"endTimeUnixNano\":\"${now}000001000\",\"status\":{\"code\":2}}]}]}]}" "http://$(address_of "$way")/v1/traces"
	found=
	for _ in $(seq "$SERVER_PATIENCE"); do
		found=$(curl -sS -H 'authorization: Bearer 0123456789abcdef-collector' "$URL/api/v1/spans?type=cpu&from=now-1h&trace=$id" |
			sed -n 's/.*"service":"\([^"]*\)".*"parent":"\([^"]*\)","name":"\([^"]*\)","kind":"\([^"]*\)","status":"\([^"]*\)".*"duration":\([0-9]*\).*/\1 \2 \3 \4 \5 \6/p')
		[ -z "$found" ] || break
		sleep 0.1
	done
	[ "$found" = "$way 0000000000000002 by $way client error 1000" ] || fail "$way: the stored span differs from the one sent: $found"
done

# a large profile, as protobuf
real=../shared/fixtures/pprof/heap
if [ -f $real ]; then
	"$VARVE" convert $real -o "$SCRATCH/real.otlp"
	curl -sS -f -o /dev/null -H 'content-type: application/x-protobuf' --data-binary "@$SCRATCH/real.otlp" \
		"http://$(address_of grpc_zstd)/v1development/profiles"
	"$VARVE" top $real --type alloc_space -n 0 -g line --json | sed -n '/"rows"/,$p' >"$SCRATCH/top.sent"
	for _ in $(seq "$SERVER_PATIENCE"); do
		! query services --from 20200101 | grep -q unknown_service || break
		sleep 0.1
	done
	query profile unknown_service --from 20200101 --type alloc_space -o "$SCRATCH/got.otlp"
	"$VARVE" top "$SCRATCH/got.otlp" -n 0 -g line --json | sed -n '/"rows"/,$p' | cmp - "$SCRATCH/top.sent" ||
		fail 'a large profile differs from the one sent'
fi

# ---- data with permanent errors is dropped with the reason ----

for way in grpc_gzip http_gzip; do
	# a too long label: the profile is rejected, the request is not
	make_profile "long_$(head -c 5000 /dev/zero | tr '\0' x)"
	send $way
done
await_log 'grpc_gzip.*service_name.*"dropped_profiles": 1' 'gRPC: no partial success for a rejected profile'
await_log 'http_gzip.*service_name.*"dropped_[a-z]*": 1' 'HTTP: no partial success for a rejected profile'
for way in $unauthorized; do
	make_profile "$way"
	send "$way"
	await_log "Exporting failed.*$way.*Permanent error" "$way: a missing token is not a permanent error"
done

# ---- data that was not accepted is retried ----

stop_server
for way in $ways; do
	make_profile "$way"
	send "$way"
	await_log "Exporting failed. Will retry.*$way" "$way: the collector does not retry"
done
restart_server
for way in $ways; do
	await_profiles "$way" 2 "$way: not what was sent while the server was away"
done

# the server accepts it, and its response arrives too late
kill -STOP "$SERVER"
for way in $ways; do
	make_profile "$way"
	send "$way"
done
await_log 'Exporting failed. Will retry.*grpc_zstd.*DeadlineExceeded' 'gRPC: a missing response is not noticed'
await_log 'Exporting failed. Will retry.*http_zstd.*[Tt]imeout' 'HTTP: a missing response is not noticed'
kill -CONT "$SERVER"
for way in $ways; do
	await_profiles "$way" 3 "$way: what was sent twice is not kept once"
done

# kill -9 during transfers
count=3
for round in 1 2 3; do
	for _ in 1 2 3 4 5 6 7 8; do
		count=$((count + 1))
		for way in grpc_gzip http_gzip; do
			make_profile $way
			send $way
		done
		[ $((count % 8)) -ne 0 ] || stop_server KILL || true
	done
	restart_server
done
for way in grpc_gzip http_gzip; do
	await_profiles $way $count "$way: lost or duplicated when the server was killed ($round rounds)"
done
[ "$(grep -c 'Dropping data' "$SCRATCH/otelcol.log")" -eq 2 ] ||
	fail 'the collector dropped more than the rejected data'
for way in $unauthorized; do
	! query services | grep -q "$way" || fail "$way: without a token, and kept"
done
stop_server
"$VARVE" store check "$SCRATCH/data" || fail 'the store is damaged'
