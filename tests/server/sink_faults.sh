#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Destinations that refuse, are slow, away, or reject items: what a collector has acknowledged arrives, once, and
# what a destination rejected or what could not be delivered at the end is counted and reported.
. "$SOURCE_ROOT/tests/cli/lib.sh"
# shellcheck disable=SC2034,SC2154 # for collectors.sh; set by lib.sh
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
export METRICS=1
: >out
: >err
base=$(date +%s)000000000

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

# ---- two destinations, one for each protocol ----

mkfifo grpc.in http.in
start_sink() { # grpc|http FILE [ADDRESS]
	: >"$1.said"
	# shellcheck disable=SC2086 # no address: none
	"$FAULTY_SINK" "$2" ${3:-} <"$1.in" >"$1.said" 3>&- 4>&- &
	eval "$1_pid=$!"
	if [ "$1" = grpc ]; then exec 3>grpc.in; else exec 4>http.in; fi
	tries=300
	until [ -s "$1.said" ] || [ $tries -eq 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	eval "$1_address=$(head -1 "$1.said")"
}

# both COMMAND...: to both destinations; waits until they obey
both() {
	for sink in grpc http; do
		tell $sink "$@"
	done
}
tell() { # grpc|http COMMAND...
	sink=$1
	shift
	before=$(wc -l <"$sink.said")
	if [ "$sink" = grpc ]; then echo "$*" >&3; else echo "$*" >&4; fi
	tries=300
	while [ "$(wc -l <"$sink.said")" = "$before" ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
}
said() { # grpc|http N: the N-th number of the last answer: accepted, refused, early
	tell "$1" count
	tail -1 "$1.said" | cut -d' ' -f"$2"
}

start_front() {
	# shellcheck disable=SC2154 # set by start_sink
	start_collector --config front.yaml --set exporters::otlp::endpoint="$grpc_address" \
		--set exporters::otlphttp::endpoint="http://$http_address" || return 1
	front=$COLLECTOR
	# the addresses of the receiver and of the metrics
	address=$(collector_address 1) metrics=$(collector_address 2)
}
cat >front.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
exporters:
  otlp:
    tls: {insecure: true}
    sending_queue: {queue_size: 10000, num_consumers: 1}
    retry_on_failure: {initial_interval: 100ms, max_interval: 300ms, max_elapsed_time: 60s}
  otlphttp:
    sending_queue: {queue_size: 10000, num_consumers: 1}
    retry_on_failure: {initial_interval: 100ms, max_interval: 300ms, max_elapsed_time: 60s}
service:
  telemetry: {metrics: {address: "localhost:0"}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp, otlphttp]}
EOF

next=0
send() { # requests
	"$ITEMS" send -k traces -i 100 -c 2 -n "$1" -s 60 -b "$base" -f $next -u acknowledged "$address" >sent 2>>err
	next=$((next + $1))
}

all_arrive() { # FILE...: every acknowledged item, once
	tries=300
	until "$ITEMS" count -k traces -b "$base" -i 100 -u acknowledged "$@" >counted 2>>err; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
	grep -q '"lost": 0, "twice": 0, "foreign": 0' counted
}
arrived() { # name
	for sink in grpc http; do
		expect_that "$1, $sink: what was acknowledged arrives once" all_arrive $sink.out
		cp counted out
	done
}
metric() { # line without its value
	curl -s -m 60 "http://$metrics/metrics" | grep -F "$1" | sed 's/.* //'
}

# ---- a destination that stays away: its collector ends while the others are tested ----

NAME=away start_collector --config front.yaml --set exporters::otlp::endpoint=127.0.0.1:1 \
	--set exporters::otlphttp::endpoint=http://127.0.0.1:1
away=$COLLECTOR
"$ITEMS" send -k traces -i 100 -c 2 -n 5 -s 60 -b "$base" -u late "$(collector_address 1)" >sent 2>>err
is 'requests are acknowledged while the destination is away' 5 "$(wc -l <late)"
kill -TERM "$away"

start_sink grpc grpc.out
start_sink http http.out
start_front

# ---- refusals that ask to wait, and that do not ----

for refusal in 'refuse 14' 'refuse 14 1000' 'refuse 8' 'refuse 8 1000'; do
	case $refusal in
	*14*) what='503 and UNAVAILABLE' ;;
	*) what='429 and RESOURCE_EXHAUSTED' ;;
	esac
	case $refusal in
	*1000) what="$what with a delay" ;;
	esac
	# shellcheck disable=SC2086 # words
	both $refusal
	refused=$(said grpc 2) refused_http=$(said http 2)
	send 20
	expect_that "$what: requests are acknowledged" grep -q '"requests": 20, .*"refused": 0' sent
	tries=300
	while { [ "$(said grpc 2)" = "$refused" ] || [ "$(said http 2)" = "$refused_http" ]; } && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	both ok
	arrived "$what"
done
is 'no request by gRPC came before the delay was over' 0 "$(said grpc 3)"
is 'and none by HTTP' 0 "$(said http 3)"
is 'nothing has failed' '0 0' "$(metric 'otelcol_exporter_send_failed_spans{' | paste -sd' ')"

# ---- items that a destination rejects ----

both partial 7
send 10
arrived 'partial success'
tries=300
until [ "$(metric 'otelcol_exporter_send_failed_spans{' | paste -sd' ')" = '70 70' ] || [ $tries -eq 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
is 'rejected items are counted' '70 70' "$(metric 'otelcol_exporter_send_failed_spans{' | paste -sd' ')"
expect_that 'and logged with the reason' grep -q 'Partial success response.*message="some are bad" dropped_items=7' "$COLLECTOR_LOG"
both ok

# ---- a destination that is away ----

# shellcheck disable=SC2154 # set by start_sink
kill -9 "$grpc_pid" "$http_pid"
wait "$grpc_pid" "$http_pid" 2>/dev/null
send 20
sleep 2
expect_that 'a destination that is away is logged' grep -q 'Will retry the request after interval.*refused' "$COLLECTOR_LOG"
start_sink grpc grpc.out "$grpc_address"
start_sink http http.out "$http_address"
arrived 'away for two seconds'

# ---- a slow destination, and an end while much is queued ----

both slow 20
send 50
expect_that 'a collector with a queue in memory ends' stop_collector TERM "$front"
both ok
arrived 'SIGTERM while the destination is slow'
expect_not 'nothing is dropped' grep -q 'Dropping data' "$COLLECTOR_LOG"

start_front
both refuse 14
send 30
kill -TERM "$front"
sleep 1
both ok
wait "$front"
is 'a collector whose destination refuses ends well' 0 $?
arrived 'SIGTERM while the destination refuses'

# ---- the end of the one whose destination stays away ----

wait "$away"
is 'a collector whose destination stays away ends after its grace period' 0 $?
for exporter in otlp otlphttp; do
	is "$exporter reports how much it has dropped" 500 "$(grep 'Dropping data' away.log | grep "exporter=$exporter " |
		sed 's/.*dropped_items=\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n }')"
done
exec 3>&- 4>&-
wait "$grpc_pid" "$http_pid" # they end with their input
finish
