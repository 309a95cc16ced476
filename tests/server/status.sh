#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a collector tells about itself: its metrics, varve status, and the settings of service.telemetry.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
export METRICS=1

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

cat >base.yaml <<'EOF'
receivers:
  otlp: {protocols: {http: {endpoint: 127.0.0.1:0}}}
exporters:
  otlphttp: {endpoint: http://127.0.0.1:9, compression: none}
service:
  telemetry: {metrics: {address: 127.0.0.1:0}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlphttp]}
EOF

# ---- metrics and status of a collector whose destination is down ----

start_collector --config base.yaml --set service::telemetry::metrics::address=localhost:0
otlp=$(collector_address 1) metrics=$(collector_address 2)
curl -s -m 20 -o answer -H 'content-type: application/json' "http://$otlp/v1/traces" -d '{"resourceSpans":[{"scopeSpans":[{"spans":[
	{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a"},
	{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060709","name":"b"}]}]}]}'
is 'spans are accepted' '{}' "$(cat answer)"
tries=200
until "$VARVE" status --url "http://$metrics" >status.txt && grep -q 'unreachable' status.txt; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || break
	sleep 0.1
done
run status --url "http://$metrics"
expect 'varve status says what waits and why' 0 'up ' 'resident' \
	'otlphttp +2 +[0-9]+ +0 +0 +0 +2 +0  http://127.0.0.1:9 \(unreachable\)' 'last error: http://127.0.0.1:9/v1/traces'
run status --url "http://$metrics" --json
expect 'varve status prints JSON' 0 '"id":"otlphttp"' '"reachable":false' '"pending":2'
curl -s -m 20 "http://$metrics/metrics" >metrics.txt
for line in 'otelcol_receiver_accepted_spans{receiver="otlp",transport="http"} 2' \
	'otelcol_exporter_queue_size{exporter="otlphttp",data_type="traces"}' \
	'otelcol_process_uptime ' 'otelcol_process_memory_rss ' 'varve_exporter_pending_items{exporter="otlphttp"} 2' \
	'varve_exporter_reachable{exporter="otlphttp"} 0'; do
	expect_that "metrics have $line" grep -qF "$line" metrics.txt
done
is 'there is no other page' 404 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "http://$metrics/other")"
kill -TERM "$COLLECTOR"
sleep 0.7
kill -TERM "$COLLECTOR" # do not wait until the destination is back
wait "$COLLECTOR" 2>/dev/null
run status --url "http://$metrics"
expect 'a collector that has ended is an error' 2 'no server answers'

# ---- metrics of scrapers, limits and batches ----

cat >parts.yaml <<'EOF'
receivers:
  hostmetrics: {collection_interval: 200ms, initial_delay: 10ms, scrapers: {load: }}
  httpcheck: {collection_interval: 200ms, initial_delay: 10ms, targets: [{endpoint: "http://127.0.0.1:9"}]}
  otlp: {protocols: {http: {endpoint: 127.0.0.1:0}}}
processors:
  memory_limiter: {check_interval: 1s, limit_mib: 1000}
  memory_limiter/small: {check_interval: 1s, limit_mib: 1}
exporters:
  otlphttp: {endpoint: http://127.0.0.1:9, sending_queue: {batch: {flush_timeout: 10ms, min_size: 1}}}
  nop:
service:
  telemetry: {metrics: {address: "localhost:0"}}
  pipelines:
    metrics: {receivers: [hostmetrics, httpcheck], processors: [memory_limiter], exporters: [otlphttp]}
    traces: {receivers: [otlp], processors: [memory_limiter/small], exporters: [nop]}
EOF
start_collector --config parts.yaml
parts_otlp=$(collector_address 1) metrics=$(collector_address 2)
is 'spans are refused' 503 "$(curl -s -m 20 -o answer -w '%{http_code}' -H 'content-type: application/json' -d '{}' "http://$parts_otlp/v1/traces")"
tries=200
until curl -s -m 20 "http://$metrics/metrics" >metrics.txt && grep -q '^otelcol_exporter_queue_batch_send_size_count.* [1-9]' metrics.txt &&
	grep -q '^otelcol_scraper_scraped_metric_points{receiver="httpcheck",scraper="httpcheck"} [1-9]' metrics.txt; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || break
	sleep 0.1
done
for line in 'otelcol_scraper_scraped_metric_points{receiver="hostmetrics",scraper="load"} [1-9]' \
	'otelcol_scraper_errored_metric_points{receiver="hostmetrics",scraper="load"} 0' \
	'otelcol_scraper_scraped_metric_points{receiver="httpcheck",scraper="httpcheck"} [1-9]' \
	'otelcol_processor_memory_limiter_accepted_metric_points{processor="memory_limiter"} [1-9]' \
	'otelcol_processor_memory_limiter_refused_metric_points{processor="memory_limiter"} 0' \
	'otelcol_processor_memory_limiter_refused_spans{processor="memory_limiter/small"} 1' \
	'otelcol_receiver_refused_spans{receiver="otlp",transport="http"} 1' \
	'otelcol_exporter_queue_batch_send_size_count{exporter="otlphttp"} [1-9]' \
	'otelcol_exporter_queue_batch_send_size_bytes_count{exporter="otlphttp"} [1-9]'; do
	expect_that "metrics have $line" grep -q "^$line" metrics.txt
done
kill -TERM "$COLLECTOR"
sleep 0.7
kill -TERM "$COLLECTOR"
wait "$COLLECTOR" 2>/dev/null

# ---- readers ----

cat >readers.yaml <<'EOF'
service:
  telemetry:
    logs: {level: WARN}
    metrics:
      address: null
      readers:
        - periodic: {interval: 1000}
        - pull: {exporter: {prometheus: {host: 127.0.0.1, port: 1, without_type_suffix: false}}}
EOF
run config check base.yaml readers.yaml
expect 'a periodic reader is ignored with a warning' 0 'a periodic reader of metrics is not supported'
: >"$work/quiet.log"
"$VARVE" collector --config base.yaml --set service::telemetry::logs::level=WARN --set service::telemetry::metrics::level=none \
	2>quiet.log &
quiet=$!
sleep 0.5
kill -TERM $quiet
wait $quiet
is 'the log level is that of the configuration' '' "$(grep level=info quiet.log)"

bad() { # name regex YAML
	printf '%s\n' "$3" >bad.yaml
	run config check base.yaml bad.yaml
	expect "$1" 2 "$2"
}
bad 'an unknown level of logs is an error' 'bad.yaml:1:.*unrecognized level: "loud"' 'service: {telemetry: {logs: {level: loud}}}'
bad 'an unknown level of metrics is an error' 'bad.yaml:1:.*unknown level of metrics "all"' 'service: {telemetry: {metrics: {level: all}}}'
bad 'an unknown key is an error' 'bad.yaml:1:.*"adress".*did you mean "address"' 'service: {telemetry: {metrics: {adress: x}}}'
bad 'a reader without a kind is an error' 'bad.yaml:1:.*pull or periodic' 'service: {telemetry: {metrics: {readers: [{push: }]}}}'

# ---- profiles of the process ----

free_port
start_collector --config base.yaml --set "extensions={pprof: {endpoint: '127.0.0.1:$port'}}" --set 'service.extensions=[pprof]'
curl -s -m 60 -o cpu.pb.gz "http://127.0.0.1:$port/debug/pprof/profile?seconds=1"
run top cpu.pb.gz
expect 'the extension pprof serves a profile of the process' 0 'cpu '
is 'it accepts only names of this machine on a loopback address' 403 \
	"$(curl -s -m 20 -o /dev/null -w '%{http_code}' -H 'Host: evil.example' "http://127.0.0.1:$port/debug/pprof/heap")"
stop_collector
is 'it ends with the collector' 7 "$(curl -s -m 20 -o /dev/null "http://127.0.0.1:$port/debug/pprof/heap"; echo $?)"
run config check base.yaml "yaml:extensions::pprof::endpoint: here"
expect 'an endpoint without a port is an error' 2 'HOST:PORT'

# ---- several collectors on one machine ----

start_collector --config base.yaml --set service::telemetry::metrics::address=null
first=$COLLECTOR
NAME=second start_collector --config base.yaml --set service::telemetry::metrics::address=null
expect_that 'without a configured address a second collector runs without its metrics' grep -q 'address is in use' second.log
stop_collector
stop_collector TERM $first
finish
