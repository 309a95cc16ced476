#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of a collector with queues on disk: what it has acknowledged arrives at a second collector, whether there is a
# processor that collects before the queue or not, and whether the second collector runs or not. What arrives twice was
# counted as sent again.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"

cat >sink.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
exporters:
  file: {path: unset, format: proto}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [file]}
    metrics: {receivers: [otlp], exporters: [file]}
EOF
cat >front.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
processors:
  batch: {timeout: 200ms, send_batch_size: 8192}
exporters:
  otlp:
    endpoint: unset
    tls: {insecure: true}
    sending_queue: {storage: file_storage, queue_size: 100000}
    retry_on_failure: {initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 0}
  store: {directory: data} # for its API, which has metrics
extensions:
  file_storage: {directory: queues, create_directory: true}
service:
  extensions: [file_storage]
  api: {endpoint: 127.0.0.1:0}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp]}
    metrics: {receivers: [otlp], exporters: [otlp]}
    profiles: {receivers: [otlp], exporters: [store]}
EOF

: >out
: >err
outputs=
start_sink() { # [address]: the same as before, with another file
	outputs="$outputs sink$(echo "$outputs" | wc -w).proto"
	NAME=sink
	start_collector --config sink.yaml --set receivers::otlp::protocols::grpc::endpoint="${1:-127.0.0.1:0}" \
		--set exporters::file::path="${outputs##* }" || return 1
	sink=$COLLECTOR
	sink_address=$(collector_address 1)
}

start_front() {
	NAME=front
	# shellcheck disable=SC2086 # several options
	start_collector --config front.yaml --set exporters::otlp::endpoint="$sink_address" $front_options || return 1
	front=$COLLECTOR
	front_address=$(collector_address 1)
	api_address=$(collector_address 2)
}

# the sum of the counters of items that were sent again
sent_again() {
	curl -sf "http://$api_address/metrics" |
		sed -n 's/^otelcol_\(exporter\|journal\)_sent_again_[a-z_]*{.*} //p' | awk '{ n += $1 } END { print n + 0 }'
}

count() {
	# shellcheck disable=SC2086 # several files
	"$ITEMS" count -k "$signal" -b "$base" -i 100 -u acknowledged $outputs >counted
}

field() { # file name
	sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1"
}

# waits until all that was acknowledged has arrived
all_arrive() {
	tries=300
	until count; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || {
			sed 's/^/# /' counted
			tail -5 front.log | sed 's/^/# /'
			return 1
		}
		sleep 0.1
	done
}

send() { # seconds
	"$ITEMS" send -k "$signal" -i 100 -c 4 -s "$1" -b "$base" -f "$next" -u acknowledged "$front_address" >sent 2>&1
}

# Kills the front while it receives, $1 times. $2: the sink is down from before the first kill to after the last one.
kill_and_count() { # name kills sink-down
	base=$(date +%s)000000000 next=0 outputs='' duplicates=0
	rm -rf queues data sink*.proto
	: >acknowledged
	start_sink || return 1
	start_front || return 1
	for kill in $(seq "$2"); do
		send 30 &
		sender=$!
		sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%02d", 20 + $1 % 60 }')"
		[ "$3$kill" != down1 ] || { kill -9 $sink && wait $sink 2>/dev/null; }
		[ "$3" != down ] || sleep 0.3
		duplicates=$((duplicates + $(sent_again)))
		kill -9 "$front"
		wait "$front" $sender 2>/dev/null
		next=$((next + 100000))
		start_front || return 1
	done
	[ "$3" != down ] || start_sink "$sink_address" || return 1
	expect_that "$1: what was acknowledged has arrived" all_arrive
	duplicates=$((duplicates + $(sent_again)))
	echo "# $1: $(cat counted) sent again: $duplicates"
	expect_that "$1: something was acknowledged" [ "$(field counted acknowledged)" -gt 0 ]
	expect_that "$1: what arrived twice was counted" [ "$(field counted twice)" -le "$duplicates" ]
	NAME=front COLLECTOR_LOG=front.log
	expect_that "$1: the collector ends" stop_collector TERM "$front"
	kill -9 $sink
	wait $sink 2>/dev/null
}

signal=traces front_options=
kill_and_count 'queue on disk' 2 up
kill_and_count 'queue on disk, destination down' 2 down
front_options='--set service::pipelines::traces::processors=[batch] --set service::pipelines::metrics::processors=[batch]'
kill_and_count 'batch and queue on disk' 2 up
expect_that 'there is a journal before batch' [ -d queues/journal/traces ]
kill_and_count 'batch and queue on disk, destination down' 2 down
signal=metrics
kill_and_count 'metrics, batch and queue on disk' 1 up
signal=traces
front_options='--set exporters::otlp::sending_queue::batch::min_size=1000 --set exporters::otlp::sending_queue::batch::flush_timeout=100ms'
kill_and_count 'batches of the queue on disk' 1 up
front_options='--set exporters::otlp::sending_queue::enabled=false'
kill_and_count 'no queue' 1 up

# a stop keeps the queue, too
signal=traces front_options=
base=$(date +%s)000000000 next=0 outputs=''
rm -rf queues sink*.proto
: >acknowledged
start_sink && start_front
kill -9 $sink
wait $sink 2>/dev/null
send 1
expect_that 'a collector whose destination is down ends on SIGTERM' stop_collector TERM "$front"
start_sink "$sink_address" && start_front
expect_that 'and sends what it has acknowledged after the next start' all_arrive
expect_that 'once' [ "$(field counted twice)" = 0 ]
stop_collector TERM "$front"
kill -9 $sink
wait $sink 2>/dev/null
# a full disk: requests are refused, and accepted again when there is room
rm -rf queues sink*.proto
mkdir queues
if mount -t tmpfs -o size=8m tmpfs queues 2>mount.err; then
	base=$(date +%s)000000000 next=0 outputs=''
	: >acknowledged
	start_sink && start_front
	kill -9 $sink
	wait $sink 2>/dev/null
	send 2
	expect_that 'requests are refused when the disk is full' [ "$(field sent refused)" -gt 0 ]
	before=$(wc -l <acknowledged)
	mount -o remount,size=64m queues
	next=100000
	send 1
	expect_that 'and accepted when there is room' [ "$(wc -l <acknowledged)" -gt "$before" ]
	start_sink "$sink_address"
	expect_that 'what was acknowledged arrives' all_arrive
	echo "# full disk: $(cat counted)"
	NAME=front COLLECTOR_LOG=front.log
	expect_that 'the collector ends' stop_collector TERM "$front"
	kill -9 $sink
	wait $sink 2>/dev/null
	umount queues

	# a directory that becomes read-only, and one that is read-only at the start
	rm -rf sink*.proto
	mount -t tmpfs -o size=64m tmpfs queues
	base=$(date +%s)000000000 next=0 outputs=''
	: >acknowledged
	start_sink && start_front
	kill -9 $sink
	wait $sink 2>/dev/null
	send 1
	expect_that 'requests are accepted' [ "$(wc -l <acknowledged)" -gt 0 ]
	kill -9 "$front" # a file system with a file that is open for writing cannot become read-only
	wait "$front" 2>/dev/null
	mount -o remount,ro queues
	"$VARVE" collector --config front.yaml --set exporters::otlp::endpoint="$sink_address" \
		--set service::telemetry::metrics::level=none >out 2>err
	code=$?
	expect 'a read-only directory is an error at the start' 2 'queues.*Read-only file system'
	mount -o remount,rw queues
	start_sink "$sink_address" && start_front
	expect_that 'what was acknowledged before arrives' all_arrive
	NAME=front COLLECTOR_LOG=front.log
	expect_that 'the collector ends' stop_collector TERM "$front"
	kill -9 $sink
	wait $sink 2>/dev/null
	umount queues
else
	skip 'a full disk' "no tmpfs: $(cat mount.err)"
fi

# a disk error while requests arrive: ext4 becomes read-only under the open files of the queue
if [ "$(id -u)" = 0 ] && truncate -s 64M image && mkfs.ext4 -q image 2>/dev/null && mkdir -p queues &&
	mount -o loop,errors=remount-ro image queues 2>/dev/null; then
	trap 'umount "$work/queues" 2>/dev/null; rm -rf "$work"' EXIT
	rm -rf sink*.proto
	base=$(date +%s)000000000 next=0 outputs=''
	: >acknowledged
	start_sink && start_front
	kill -9 $sink
	wait $sink 2>/dev/null
	send 4 &
	sender=$!
	tries=300
	until [ -s acknowledged ] || [ $tries -eq 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	mount -o remount,abort queues 2>/dev/null
	wait $sender
	expect_that 'requests are refused when the disk of the queue becomes read-only' [ "$(field sent refused)" -gt 0 ]
	expect_that 'and the reason is logged' grep -qiE 'level=(warn|error).*(read-only|input/output error)' front.log
	expect_that 'the collector runs on' kill -0 "$front"
	echo "# read-only while it is written: $(cat sent)"
	kill -9 "$front"
	wait "$front" 2>/dev/null
	umount queues
	mount -o loop,errors=remount-ro image queues
	start_sink "$sink_address" && start_front
	expect_that 'what was acknowledged before arrives when the disk is writable again' all_arrive
	echo "# read-only while it is written: $(cat counted)"
	NAME=front COLLECTOR_LOG=front.log
	expect_that 'the collector ends' stop_collector TERM "$front"
	kill -9 $sink
	wait $sink 2>/dev/null
	umount queues
else
	skip 'a disk that becomes read-only' 'needs root, a loop device and mkfs.ext4'
fi

# a store is durable, too: there is a journal before batch
cat >stored.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
processors:
  batch: {timeout: 200ms}
exporters:
  store: {directory: data}
service:
  pipelines:
    profiles: {receivers: [otlp], processors: [batch], exporters: [store]}
EOF
rm -rf data
: >acknowledged
signal=profiles next=0 NAME=stored
for kill in 1 2 3; do
	start_collector --config stored.yaml
	front_address=$(collector_address 1)
	send 30 &
	sender=$!
	sleep "0.$((3 + kill))"
	kill -9 "$COLLECTOR"
	wait "$COLLECTOR" $sender 2>/dev/null
	next=$((next + 100000))
done
expect_that 'there is a journal in the directory of the store' [ -d data/journal/profiles ]
start_collector --config stored.yaml
stored() {
	"$VARVE" store stats data --json | sed -n 's/.*"profiles": \([0-9]*\).*/\1/p'
}
# what the journal has is stored; how fast depends on the machine
tries=0
while [ "$(stored)" -lt "$(wc -l <acknowledged)" ] && [ $tries -lt 300 ]; do
	sleep 0.2
	tries=$((tries + 1))
done
expect_that 'the collector ends with a journal and a store' stop_collector
run store check data
expect 'the store is intact' 0
echo "# $(wc -l <acknowledged) profiles were acknowledged, $(stored) are stored"
expect_that 'profiles were acknowledged' [ "$(wc -l <acknowledged)" -gt 0 ]
expect_that 'and all are stored' [ "$(stored)" -ge "$(wc -l <acknowledged)" ]
finish
