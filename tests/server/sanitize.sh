#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119,SC2086,SC2317 # calls without options; times and ids are numbers; called by expect_that
# Secrets in every text of every signal, by every way in: neither the data directory, nor an answer,
# nor a log, nor the files of a collector contain them. The same checks find them with --no-sanitize,
# so they are able to fail.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"

token=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
planted='zQWBuTSOoRi4A9spHcVY5|hunter2-planted|planted@example\.com|4111 1111 1111 1111'
time=$(date +%s)

# ---- the data ----

printf 'main;call_%s 10\nmain;[password=hunter2-planted] 5\n' "$token" >p.folded
for format in pprof otlp otlp-json speedscope; do
	"$VARVE" convert p.folded -t $format -o "p.$format" 2>/dev/null
done

# The values of an attribute list; every text has a secret.
values='[{"key":"note","value":{"stringValue":"password=hunter2-planted"}},{"key":"password","value":{"stringValue":"hunter2-planted"}},
	{"key":"mail","value":{"stringValue":"planted@example.com"}},{"key":"card","value":{"stringValue":"4111 1111 1111 1111"}},
	{"key":"k-'$token'","value":{"arrayValue":{"values":[{"stringValue":"'$token'"}]}}}]'
# The resource of a service, whose name has a secret, too.
resource() { echo '"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"'"$1 $token"'"}},'"${values#[}"'},"schemaUrl":"https://u:hunter2-planted@x/"'; }
scope='"scope":{"name":"'$token'","version":"'$token'","attributes":'$values'}'
ids='"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708"'
times='"startTimeUnixNano":"'$time'000000000","endTimeUnixNano":"'$time'500000000"'
traces() {
	echo '{"resourceSpans":[{'"$(resource "$1")"',"scopeSpans":[{'"$scope"',"spans":[{'"$ids,$times"',"traceState":"a='$token'",
	"name":"GET /?token=hunter2-planted","attributes":'"$values"',"events":[{"name":"'$token'","attributes":'"$values"'}],
	"links":[{'"$ids"',"attributes":'"$values"'}],"status":{"code":2,"message":"bad password: hunter2-planted"}}]}]}]}'
}
logs() {
	echo '{"resourceLogs":[{'"$(resource "$1")"',"scopeLogs":[{'"$scope"',"logRecords":[{"timeUnixNano":"'$time'000000000",
	"severityText":"'$token'","eventName":"'$token'","body":{"stringValue":"Authorization: Bearer hunter2-planted by planted@example.com"},
	"attributes":'"$values"'},{"timeUnixNano":"'$time'000000001","body":{"kvlistValue":{"values":'"$values"'}},'"$ids"'},
	{"timeUnixNano":"'$time'000000002","body":{"arrayValue":{"values":[{"stringValue":"'$token'"},{"kvlistValue":{"values":'"$values"'}}]}}},
	{"timeUnixNano":"'$time'000000003","body":{"stringValue":"harmless record"}}]}]}]}'
}
metrics() {
	point='"timeUnixNano":"'$time'000000000","attributes":'$values
	exemplars='"exemplars":[{"timeUnixNano":"'$time'000000000","asInt":"1","traceId":"0102030405060708090a0b0c0d0e0f10","filteredAttributes":'$values'}]'
	texts='"description":"'$token'","unit":"'$token'"'
	echo '{"resourceMetrics":[{'"$(resource "$1")"',"scopeMetrics":[{'"$scope"',"metrics":[
	{"name":"m",'"$texts"',"metadata":'"$values"',"sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{'"$point,$exemplars"',"asInt":"3"}]}},
	{"name":"m_'"$token"'",'"$texts"',"gauge":{"dataPoints":[{'"$point"',"asInt":"3"}]}},
	{"name":"harmless","description":"A gauge.","gauge":{"dataPoints":[{"timeUnixNano":"'$time'000000000","asInt":"3"}]}},
	{"name":"h",'"$texts"',"histogram":{"aggregationTemporality":2,"dataPoints":[{'"$point,$exemplars"',"count":"1","sum":2,"explicitBounds":[1],"bucketCounts":["0","1"]}]}},
	{"name":"e",'"$texts"',"exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[{'"$point,$exemplars"',"count":"1","sum":2,"scale":1,"positive":{"offset":1,"bucketCounts":["1"]}}]}},
	{"name":"q",'"$texts"',"summary":{"dataPoints":[{'"$point"',"count":"1","sum":2,"quantileValues":[{"quantile":0.5,"value":2}]}]}}]}]}]}'
}

# post FILE URL [curl options]: succeed with status 200
post() {
	posted=$1 posted_to=$2
	shift 2
	[ "$(curl -s -o answer -w '%{http_code}' "$@" --data-binary "@$posted" "$posted_to")" = 200 ]
}
# post_grpc FILE URL
post_grpc() {
	size=$(wc -c <"$1")
	# shellcheck disable=SC2059 # the format is the length
	{
		printf "\\0\\$(printf %03o $((size >> 24 & 255)))\\$(printf %03o $((size >> 16 & 255)))\\$(printf %03o $((size >> 8 & 255)))\\$(printf %03o $((size & 255)))"
		cat "$1"
	} >framed
	curl -s --http2-prior-knowledge -D head -o answer -H 'Content-Type: application/grpc' -H 'TE: trailers' --data-binary @framed "$2" &&
		grep -qi '^grpc-status: 0' head
}
json='Content-Type: application/json'
proto='Content-Type: application/x-protobuf'

# send_all: each way into the server; a failure is reported
send_all() {
	at="from=$time&until=$((time + 10))"
	app=$(printf 'ingest%%7Bpassword%%3Dhunter2-planted%%2Cmail%%3Dplanted%%40example.com%%2Cnote%%3D%s%%7D' "$token")
	expect_that "$1: /ingest, folded" post p.folded "$URL/ingest?name=$app&format=folded&sampleRate=100&$at"
	expect_that "$1: /ingest, pprof" post p.pprof "$URL/ingest?name=pprof-$app&format=pprof&$at"
	expect_that "$1: OTLP by HTTP" post p.otlp "http://$OTLP_HTTP/v1development/profiles" -H "$proto"
	expect_that "$1: OTLP by HTTP, JSON" post p.otlp-json "http://$OTLP_HTTP/v1development/profiles" -H "$json"
	expect_that "$1: OTLP by gRPC" post_grpc p.otlp "http://$OTLP_GRPC/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
	expect_that "$1: push.v1" sh -c "printf '{\"series\":[{\"labels\":[{\"name\":\"__name__\",\"value\":\"process_cpu\"},{\"name\":\"service_name\",\"value\":\"push $token\"},
		{\"name\":\"note\",\"value\":\"password=hunter2-planted\"}],\"samples\":[{\"rawProfile\":\"%s\"}]}]}' \"\$(base64 -w0 p.pprof)\" >push.json"
	expect_that "$1: push.v1 is accepted" post push.json "$URL/push.v1.PusherService/Push" -H "$json"
	for file in p.folded p.speedscope; do
		run push "$file" --service "upload $token" --label 'password=hunter2-planted' --label "mail=planted@example.com" --url "$URL"
		expect "$1: upload of $file" 0
	done
	traces spans >t.json
	expect_that "$1: traces by HTTP, JSON" post t.json "http://$OTLP_HTTP/v1/traces" -H "$json"
	VARVE_ENDPOINT=http://$OTLP_GRPC VARVE_SANITIZE=0 VARVE_METRICS=0 VARVE_SERVICE_NAME="library $token" \
		OTEL_RESOURCE_ATTRIBUTES='note=password:hunter2-planted,mail=planted@example.com' "$SENDER" >sent 2>&1
	expect_that "$1: libvarve by gRPC, which does not sanitize itself" grep -q '^failed 0$' sent
}

# send_metrics_and_logs: by OTLP, and metrics by both versions of remote write, which a collector without the processor sends
send_metrics_and_logs() {
	logs records >l.json
	metrics points >m.json
	expect_that "$1: logs by HTTP, JSON" post l.json "http://$OTLP_HTTP/v1/logs" -H "$json"
	expect_that "$1: metrics by HTTP, JSON" post m.json "http://$OTLP_HTTP/v1/metrics" -H "$json"
	expect_that "$1: metrics at Prometheus' path" post m.json "$URL/api/v1/otlp/v1/metrics" -H "$json"
	{
		printf 'receivers:\n  otlp: {protocols: {http: {endpoint: 127.0.0.1:0}}}\nexporters:\n'
		printf '  prometheusremotewrite/1: {endpoint: "%s/api/v1/write", send_metadata: true, external_labels: {version: one}}\n' "$URL"
		printf '  prometheusremotewrite/2: {endpoint: "%s/api/v1/write", protobuf_message: io.prometheus.write.v2.Request, external_labels: {version: two}}\n' "$URL"
		printf 'service:\n  pipelines:\n    metrics: {receivers: [otlp], exporters: [prometheusremotewrite/1, prometheusremotewrite/2]}\n'
	} >write.yaml
	NAME=writer start_collector --config write.yaml
	metrics written >m.json
	expect_that "$1: a collector takes metrics" post m.json "http://$(collector_address 1)/v1/metrics" -H "$json"
	expect_that "$1: the collector sends all" stop_collector
}

# collect_answers: everything that the server says about its data, into the directory answers
collect_answers() {
	rm -rf answers
	mkdir answers
	range="from=now-1h&to=now%2B1h"
	curl -s "$URL/api/v1/services?$range" >answers/services
	curl -s "$URL/api/v1/labels?$range" >answers/labels
	curl -s "$URL/api/v1/status" >answers/status
	curl -s "$URL/api/v1/stats" >answers/stats
	curl -s "$URL/metrics" >answers/metrics
	curl -s "$URL/api/v1/trace?trace=0102030405060708090a0b0c0d0e0f10&$range" >answers/trace
	curl -s "$URL/api/v1/spans?$range" >answers/spans
	jq -r '.. | .name? // empty' answers/labels | sort -u | while read -r label; do
		curl -s -G "$URL/api/v1/label-values?$range" --data-urlencode "name=$label" >>answers/values
	done
	curl -s -X POST -H "$json" -d '{"start":1,"end":9000000000000}' "$URL/querier.v1.QuerierService/Series" >answers/series
	curl -s -G "$URL/api/v1/top?$range&n=100" --data-urlencode 'query={}' --data-urlencode 'type=process_cpu:cpu:nanoseconds:cpu:nanoseconds' >answers/top
	curl -s "$URL/api/v1/logs?$range&n=100" >answers/logs
	curl -s "$URL/api/v1/logs/counts?$range&by=service" >answers/log-counts
	curl -s "$URL/api/v1/logs/otlp?$range" >answers/logs-otlp
	prometheus=$URL/prometheus/api/v1
	for list in labels metadata 'series?match[]={__name__=~".%2B"}' status/tsdb; do
		curl -gs "$prometheus/$list" >>answers/prometheus
	done
	curl -s "$prometheus/labels" | jq -r '.data[]' | while read -r label; do
		curl -gs "$prometheus/label/$(printf %s "$label" | jq -sRr @uri)/values" >>answers/prometheus
	done
	for query in $(jq -r '.. | .name? // .service? // empty | @uri' answers/services | sort -u); do
		curl -s "$URL/api/v1/top?$range&query=$query&n=100" >>answers/top
		curl -s "$URL/api/v1/flame?$range&query=$query" >>answers/flame
		curl -s "$URL/api/v1/types?$range&query=$query" >>answers/types
		curl -s "$URL/api/v1/spans?$range&query=$query" >>answers/spans
	done
}

# shellcheck disable=SC2317 # called by expect_that
found_in() { grep -aErl "$planted" "$@" | grep -q .; }
# shellcheck disable=SC2317
clean() { ! grep -aErl "$planted" "$@"; }

# ---- the server, with and without ----

start_server --no-sanitize
send_all 'without sanitizing'
send_metrics_and_logs 'without sanitizing'
collect_answers
expect_that 'without sanitizing the answers contain the secrets' found_in answers
for secret in zQWBuTSOoRi4A9spHcVY5 hunter2-planted planted@example; do
	expect_that "without sanitizing the answers contain $secret" grep -aqr "$secret" answers
done
expect_that 'the names of services contain them' grep -aqr "upload $token" answers/status
expect_that 'the functions contain them' grep -aq "call_$token" answers/top
for answer in logs logs-otlp prometheus; do
	for secret in zQWBuTSOoRi4A9spHcVY5 hunter2-planted planted@example; do
		expect_that "without sanitizing $answer contain $secret" grep -aq "$secret" answers/$answer
	done
done
stop_server
rm -rf data

start_server
send_all 'sanitizing'
send_metrics_and_logs 'sanitizing'
collect_answers
cp server.log answers/
expect_that 'no answer contains a secret' clean answers
expect_that 'the replacement is there' grep -aqr 'REDACTED_SECRET' answers/top
expect_that 'harmless names are still there' grep -aqr '"main"' answers/top
expect_that 'harmless records are still there' grep -aq 'harmless record' answers/logs
expect_that 'replacements are in records' grep -aq 'REDACTED_EMAIL' answers/logs
expect_that 'harmless metrics are still there' grep -aq '"harmless"' answers/prometheus
expect_that 'replacements are in labels of metrics' grep -aq 'REDACTED_EMAIL' answers/prometheus
for version in one two; do
	expect_that "metrics of remote write $version are still there" grep -aq "\"$version\"" answers/prometheus
done
for rule in github-token secret secret-attribute email; do
	expect_that "findings of the rule $rule are counted" grep -q "^varve_sanitize_redacted_total{rule=\"$rule\"} [1-9]" answers/metrics
done
expect_that 'no file of the running server contains a secret' clean data
stop_server
expect_that 'no file of the stopped server contains a secret' clean data server.log
start_server
collect_answers
expect_that 'nor does an answer after a restart' clean answers
stop_server

# ---- libvarve itself, with a server that does not sanitize ----

rm -rf data
start_server --no-sanitize
for protocol in http/protobuf grpc pyroscope; do
	case $protocol in
	grpc) endpoint=http://$OTLP_GRPC ;;
	pyroscope) endpoint=$URL ;;
	*) endpoint=http://$OTLP_HTTP ;;
	esac
	VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME="library-$(basename $protocol) $token" \
		OTEL_RESOURCE_ATTRIBUTES='note=password:hunter2-planted,mail=planted@example.com' "$SENDER" >sent 2>&1
	expect_that "libvarve sends by $protocol" grep -q '^failed 0$' sent
done
collect_answers
expect_that 'libvarve sends no secret' clean answers
expect_that 'libvarve sends the replacement' grep -aqr 'REDACTED_SECRET' answers
stop_server
VARVE_DIRECTORY=written VARVE_SERVICE_NAME="library $token" "$SENDER" >sent 2>&1
mkdir -p plain
for file in written/*; do gzip -dc "$file" >"plain/${file##*/}" 2>/dev/null || cp "$file" plain/; done
expect_that 'libvarve writes files' sh -c 'ls written/*'
expect_that 'its files contain no secret' clean plain

# ---- a collector: all signals, to files ----

{
	printf 'receivers:\n  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}, http: {endpoint: "localhost:0"}}}\n'
	printf 'processors:\n  sanitize:\n    rules:\n      - {name: ticket, pattern: "TICKET-\\\\d+", where: [bodies, values], action: drop_item}\n'
	printf 'exporters:\n'
	for signal in traces metrics logs profiles; do
		printf '  file/%s: {path: clean-%s.out}\n  file/raw-%s: {path: raw-%s.out}\n' $signal $signal $signal $signal
	done
	printf 'service:\n  pipelines:\n'
	for signal in traces metrics logs profiles; do
		printf '    %s: {receivers: [otlp], processors: [sanitize], exporters: [file/%s]}\n' $signal $signal
		printf '    %s/raw: {receivers: [otlp], exporters: [file/raw-%s]}\n' $signal $signal
	done
} >c.yaml
start_collector --config c.yaml
to=http://$(collector_address 2)
traces c >t.json
logs c >l.json
metrics c >m.json
expect_that 'the collector accepts traces' post t.json "$to/v1/traces" -H "$json"
expect_that 'the collector accepts logs' post l.json "$to/v1/logs" -H "$json"
expect_that 'the collector accepts metrics' post m.json "$to/v1/metrics" -H "$json"
expect_that 'the collector accepts profiles' post p.otlp "$to/v1development/profiles" -H "$proto"
stop_collector
for signal in traces metrics logs profiles; do
	expect_that "$signal: the file contains data" test -s "clean-$signal.out"
	expect_that "$signal: the file contains no secret" clean "clean-$signal.out"
	expect_that "$signal: a pipeline without the processor does" found_in "raw-$signal.out"
done
finish
