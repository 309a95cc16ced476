#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The receiver filelog of a collector: files are rotated while they are written, the collector is killed in the middle,
# the backend is down for a while. Every line arrives.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"

cat >sink.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
exporters:
  file: {path: unset, flush_interval: 50ms}
service:
  pipelines:
    logs: {receivers: [otlp], exporters: [file]}
EOF
cat >front.yaml <<'EOF'
receivers:
  file_log:
    include: [logs/*.log]
    start_at: beginning
    poll_interval: 20ms
    storage: file_storage
    retry_on_failure: {initial_interval: 50ms, max_interval: 200ms}
    operators:
      - {type: regex_parser, regex: '^line (?P<number>\d+)$'}
exporters:
  otlp:
    endpoint: unset
    tls: {insecure: true}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
extensions:
  file_storage: {directory: positions, create_directory: true}
service:
  extensions: [file_storage]
  pipelines:
    logs: {receivers: [file_log], exporters: [otlp]}
EOF
: >out
: >err
sinks=0
start_sink() { # [address]
	sinks=$((sinks + 1))
	NAME=sink
	start_collector --config sink.yaml --set receivers::otlp::protocols::grpc::endpoint="${1:-127.0.0.1:0}" \
		--set exporters::file::path="arrived$sinks.json" || return 1
	sink=$COLLECTOR
	sink_address=$(collector_address 1)
}

start_front() {
	NAME=front
	start_collector --config front.yaml --set exporters::otlp::endpoint="$sink_address" || return 1
	front=$COLLECTOR
}

# Write lines FROM to TO, and rotate every 500 lines: the file is moved within the pattern, and later out of it.
write_lines() { # from to
	awk -v from="$1" -v to="$2" 'BEGIN {
		file = "logs/app.log"
		for (i = from; i <= to; i++) {
			print "line " i >> file
			if (i % 50 == 0) {
				fflush(file)
				system("sleep 0.01")
			}
			if (i % 500 == 0) {
				close(file)
				system("mv logs/app.2.log logs/old." i " 2>/dev/null; mv logs/app.1.log logs/app.2.log 2>/dev/null; mv logs/app.log logs/app.1.log")
			}
		}
	}'
}

arrived() {
	cat arrived*.json 2>/dev/null | grep -o '"stringValue":"line [0-9]*"' | sort -u | wc -l
}

all_arrive() { # count
	tries=600
	until [ "$(arrived)" -ge "$1" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || {
			echo "# $(arrived) of $1 lines arrived"
			tail -5 front.log | sed 's/^/# /'
			return 1
		}
		sleep 0.1
	done
	[ "$(arrived)" -eq "$1" ]
}

check() { # name command...
	name=$1
	shift
	if "$@" >>out 2>&1; then
		report ok "$name"
	else
		report 'not ok' "$name"
	fi
}

rotate_and_kill() {
	mkdir -p logs
	start_sink || return 1
	start_front || return 1
	write_lines 1 6000 &
	writer=$!
	for kill in 1 2 3; do
		sleep 0.$((kill * 2))
		kill -9 "$front" && wait "$front" 2>/dev/null
		start_front || return 1
	done
	wait $writer
	all_arrive 6000
}

# The backend is away: nothing is lost, and the collector does not end.
backend_down() {
	kill -9 "$sink" && wait "$sink" 2>/dev/null
	write_lines 6001 7200
	grep -q 'msg="log records were refused, trying again"' front.log || sleep 2
	start_sink "$sink_address" || return 1
	all_arrive 7200
}

# Stop while the backend is away, and go on from the positions.
stop_and_go_on() {
	kill -9 "$sink" && wait "$sink" 2>/dev/null
	write_lines 7201 7300
	sleep 0.3
	stop_collector TERM "$front" || return 1
	write_lines 7301 7400
	start_sink "$sink_address" || return 1
	start_front || return 1
	all_arrive 7400
}

attributes_arrive() {
	grep -q '"key":"number","value":{"stringValue":"17"}' arrived*.json &&
		grep -q '"key":"log.file.name","value":{"stringValue":"app.log"}' arrived*.json
}

check 'every line arrives although files are rotated and the collector is killed' rotate_and_kill
check 'operators run' attributes_arrive
check 'every line arrives although the backend was down' backend_down
check 'a collector goes on where it was stopped' stop_and_go_on
stop_collector TERM "$front"
stop_collector TERM "$sink"

cat >bad.yaml <<'EOF'
receivers:
  filelog:
    include: [logs/*.log]
    delete_after_read: true
    operators:
      - type: json_parser
      - type: filter
        expr: body =~ "x"
exporters: {nop: }
service: {pipelines: {logs: {receivers: [filelog], exporters: [nop]}}}
EOF
run config check bad.yaml
expect 'a mistake of an operator has its place' 2 'bad.yaml:7:.*filter.*'"'=' is not supported"
sed '/expr:/s/=~/==/' bad.yaml >good.yaml
run config check good.yaml
expect 'keys that are not supported are warnings' 0 'delete_after_read.*not supported'
finish
