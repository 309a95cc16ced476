#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Data through the pipelines of collectors: every acknowledged item arrives once, by each protocol,
# at each exporter, and also if the collector ends while it holds data.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
signals='traces metrics logs profiles'
BASE=1700000000000000000

# send_items SIGNAL ADDRESS FILE [options]: send, and append the numbers of acknowledged requests to FILE
send_items() {
	signal=$1 address=$2 acknowledged=$3
	shift 3
	"$ITEMS" send -k "$signal" -b $BASE -u "$acknowledged" -c 2 "$@" "$address" >sent.json 2>>err
}

# everything NAME SIGNAL FILE OUTPUT...: all acknowledged items arrived exactly once
everything() {
	name=$1 signal=$2 acknowledged=$3
	shift 3
	"$ITEMS" count -k "$signal" -b $BASE -i "${ITEMS_PER_REQUEST:-100}" -u "$acknowledged" "$@" >counted.json 2>>err
	if grep -q '"acknowledged": [1-9]' counted.json && grep -q '"lost": 0, "twice": 0, "foreign": 0' counted.json; then
		report ok "$name"
	else
		cp counted.json out
		report 'not ok' "$name"
	fi
}

# pipelines RECEIVERS PROCESSORS EXPORTERS: a pipeline for each signal; @ is replaced by its name
pipelines() {
	for signal in $signals; do
		echo "    $signal: {receivers: [$1], processors: [$2], exporters: [$3]}" | sed "s/@/$signal/g"
	done
}

otlp_receiver='
  otlp:
    protocols:
      grpc: {endpoint: 127.0.0.1:0}
      http: {endpoint: "localhost:0"}'
files() { # prefix
	for signal in $signals; do
		echo "  file/$1-$signal: {path: $1-$signal.out, format: proto}"
	done
}

# ---- the sink: files ----

{
	echo "receivers:$otlp_receiver"
	echo 'exporters:'
	files sink
	echo 'service:' && echo '  pipelines:'
	pipelines otlp '' file/sink-@
} >sink.yaml
NAME=sink start_collector --config sink.yaml
sink=$COLLECTOR sink_grpc=$(collector_address 1) sink_http=$(collector_address 2)

# ---- the collector: to the sink by gRPC and by HTTP, through batches, and to a file ----

{
	echo "receivers:$otlp_receiver"
	echo 'processors:'
	echo '  memory_limiter: {check_interval: 1s, limit_mib: 512}'
	echo '  batch: {timeout: 300ms, send_batch_size: 1000}'
	echo '  batch/long: {timeout: 60s, send_batch_size: 1000000}'
	echo 'exporters:'
	echo "  otlp: {endpoint: \"$sink_grpc\", tls: {insecure: true}}"
	echo "  otlphttp: {endpoint: \"http://$sink_http\"}"
	echo '  nop:'
	files copy
	files late
	echo 'service:' && echo '  pipelines:'
	pipelines otlp 'memory_limiter, batch' 'otlp, nop'
	pipelines otlp '' file/copy-@ | sed 's/^ *[a-z]*/&\/copy/'
	pipelines otlp batch/long file/late-@ | sed 's/^ *[a-z]*/&\/late/'
} >collector.yaml
NAME=collector start_collector --config collector.yaml
for signal in $signals; do
	send_items "$signal" "$(collector_address 1)" "$signal.sent" -i 100 -n 40
	send_items "$signal" "$(collector_address 2)" "$signal.sent" -i 100 -n 40 -f 40 -w http
done
expect_that 'the collector ends while its batches are not full' stop_collector
for signal in $signals; do
	everything "$signal arrive at the other collector" "$signal" "$signal.sent" "sink-$signal.out"
	everything "$signal arrive at a second pipeline of the receiver" "$signal" "$signal.sent" "copy-$signal.out"
	everything "$signal of an unfinished batch arrive at the end" "$signal" "$signal.sent" "late-$signal.out"
done

# ---- the same by HTTP ----

NAME=collector start_collector --config collector.yaml \
	--set 'service::pipelines={traces: {receivers: [otlp], exporters: [otlphttp]}, logs: {receivers: [otlp], exporters: [otlphttp]}}'
for signal in traces logs; do
	send_items "$signal" "$(collector_address 1)" "$signal.by_http" -i 100 -n 20 -f 1000 -z
done
expect_that 'a collector that sends by HTTP ends' stop_collector
for signal in traces logs; do
	cat "$signal.by_http" >>"$signal.sent"
	everything "$signal arrive by HTTP" "$signal" "$signal.sent" "sink-$signal.out"
done

expect_that 'the other collector ends' stop_collector TERM "$sink"

# ---- SIGTERM under load ----

{
	echo "receivers:$otlp_receiver"
	echo 'processors: {batch: }'
	echo 'exporters:'
	echo "  otlp: {endpoint: \"127.0.0.1:1\", tls: {insecure: true}}"
	files loaded
	echo 'service:' && echo '  pipelines:'
	pipelines otlp batch file/loaded-@
} >loaded.yaml
NAME=collector start_collector --config loaded.yaml
senders=
for signal in $signals; do
	"$ITEMS" send -k "$signal" -b $BASE -u "$signal.loaded" -c 2 -i 100 -s 60 "$(collector_address 1)" >/dev/null 2>&1 &
	senders="$senders $!"
done
sleep 1
expect_that 'a collector under load ends' stop_collector
# shellcheck disable=SC2086 # several pids
wait $senders
for signal in $signals; do
	everything "$signal that were acknowledged until then have arrived" "$signal" "$signal.loaded" "loaded-$signal.out"
done

# ---- the same with a queue on disk ----

NAME=sink start_collector --config sink.yaml --set exporters.file/sink-traces.path=disk.out
sink=$COLLECTOR sink_grpc=$(collector_address 1)
{
	echo "receivers:$otlp_receiver"
	echo 'processors: {batch: }'
	echo "exporters: {otlp: {endpoint: \"$sink_grpc\", tls: {insecure: true}, sending_queue: {storage: file_storage}}}"
	echo "extensions: {file_storage: {directory: queues, create_directory: true}}"
	echo 'service:'
	echo '  extensions: [file_storage]'
	echo '  pipelines: {traces: {receivers: [otlp], processors: [batch], exporters: [otlp]}}'
} >disk.yaml
NAME=collector start_collector --config disk.yaml
"$ITEMS" send -k traces -b $BASE -u disk.sent -c 4 -i 1000 -s 60 "$(collector_address 1)" >/dev/null 2>&1 &
sender=$!
sleep 1
expect_that 'a collector with a queue on disk ends under load' stop_collector
wait $sender
NAME=collector start_collector --config disk.yaml
sleep 1
expect_that 'the next one sends what is left' stop_collector
expect_that 'to the sink' stop_collector TERM "$sink"
ITEMS_PER_REQUEST=1000 everything 'nothing that was acknowledged is lost' traces disk.sent disk.out

# ---- the backend is down until memory is used up ----

NAME=collector start_collector --config loaded.yaml --memory-limit 48M --set 'service.pipelines={traces: {receivers: [otlp], exporters: [otlp]}}'
send_items traces "$(collector_address 1)" held -i 1000 -n 200 -r 100000 -s 60
expect_that 'requests are accepted until memory is used up' test "$(wc -l <held)" -gt 30
expect_that 'and then refused' grep -q '"refused": [1-9][0-9]*, "failed": 0.*"reason": "\(out of memory\|the memory for data in transit is used up\)' sent.json
send_items traces "$(collector_address 1)" held -i 1000 -n 10 -c 1
expect_that 'further ones before they are read' grep -q '"requests": 0, .*"refused": 10,.*"reason": "the memory for data in transit is used up: exporters hold it"' sent.json
kill -KILL "$COLLECTOR"
wait "$COLLECTOR" 2>/dev/null

# ---- the backend is down until the queue behind a batch is full ----

free_port
{
	echo "receivers:$otlp_receiver"
	echo 'processors: {batch: {timeout: 50ms, send_batch_size: 1000}}'
	echo 'exporters:'
	echo "  otlp:"
	echo "    endpoint: \"127.0.0.1:$port\""
	echo '    tls: {insecure: true}'
	echo '    sending_queue: {queue_size: 3}'
	echo '    retry_on_failure: {initial_interval: 100ms, max_interval: 1s, max_elapsed_time: 0}'
	echo 'service:' && echo '  pipelines: {traces: {receivers: [otlp], processors: [batch], exporters: [otlp]}}'
} >full.yaml
NAME=collector start_collector --config full.yaml
collector=$COLLECTOR
full_grpc=$(collector_address 1)
send_items traces "$full_grpc" full.sent -i 100 -r 10000 -s 3 -R
expect_that 'a full queue refuses requests' grep -q '"refused": [1-9].*sending queue is full' sent.json
NAME=sink start_collector --config sink.yaml --set "receivers.otlp.protocols={grpc: {endpoint: \"127.0.0.1:$port\"}}" \
	--set exporters.file/sink-traces.path=full.out
send_items traces "$full_grpc" full.sent -i 100 -n 20 -f 10000 -R -s 60
expect_that 'the collector with the queue ends' stop_collector TERM "$collector"
expect_that 'and the backend' stop_collector
everything 'what was acknowledged while the queue was full arrives' traces full.sent full.out

# ---- varve up keeps everything and forwards it ----

NAME=sink start_collector --config sink.yaml --set exporters.file/sink-traces.path=up-traces.out \
	--set exporters.file/sink-metrics.path=up-metrics.out
sink=$COLLECTOR sink_grpc=$(collector_address 1)
: >up.log
"$VARVE" up --data data --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --no-self-profile \
	--set "exporters.otlp={endpoint: \"$sink_grpc\", tls: {insecure: true}}" \
	--set 'service.pipelines.traces.exporters=[store, otlp]' \
	--set 'service.pipelines.metrics={receivers: [otlp], exporters: [otlp]}' 2>up.log &
up=$!
tries=300
while ! grep -q msg=ready up.log && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
up_grpc=$(sed -n 's/.*msg=ready.* otlp_grpc=\([^ ]*\).*/\1/p' up.log)
BASE=$(date +%s)000000000 # the store refuses data of another time
for signal in traces metrics; do
	send_items "$signal" "$up_grpc" "$signal.up" -i 100 -n 20
done
expect_that 'varve up ends' stop_collector TERM $up
expect_that 'and the other collector' stop_collector TERM "$sink"
everything 'metrics were forwarded' metrics metrics.up up-metrics.out
everything 'spans were forwarded' traces traces.up up-traces.out
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
is 'and are in the store, too' 2000 "$("$VARVE" store stats data --json | sed -n 's/.*"spans": \([0-9]*\).*/\1/p')"
finish
