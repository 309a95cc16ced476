#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reloads of a collector and of varve up: by SIGHUP and --watch, while clients send.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
BASE=1700000000000000000

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
logged() { # text: print how often it was logged
	grep -c "$1" "$COLLECTOR_LOG"
}
# wait_for TEXT N: until it was logged N times
wait_for() {
	tries=300
	while [ "$(logged "$1")" -lt "$2" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# config PROCESSORS: print a configuration whose exporter has another process behind it
config() {
	cat <<END
receivers:
  otlp:
    protocols:
      grpc: {endpoint: 127.0.0.1:0}
      http: {endpoint: "localhost:0"}
processors:
  batch: {timeout: 50ms}
  memory_limiter: {limit_mib: 900, check_interval: 1s}
exporters:
  otlp: {endpoint: "$sink", tls: {insecure: true}}
service:
  pipelines:
    traces: {receivers: [otlp], processors: [$1], exporters: [otlp]}
    logs: {receivers: [otlp], processors: [$1], exporters: [otlp]}
END
}

cat >sink.yaml <<'END'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
exporters:
  file: {path: traces.out, format: proto}
  file/logs: {path: logs.out, format: proto}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [file]}
    logs: {receivers: [otlp], exporters: [file/logs]}
END
NAME=sink start_collector --config sink.yaml
sink=$(collector_address 1) sink_pid=$COLLECTOR sink_log=$COLLECTOR_LOG

# ---- under load ----

config 'memory_limiter, batch' >c.yaml
NAME=collector start_collector --config c.yaml
"$ITEMS" send -k traces -b $BASE -u traces.sent -c 4 -i 100 -r 30000 -s 4 "$(collector_address 1)" >traces.json 2>>err &
traces=$!
"$ITEMS" send -k logs -w http -b $BASE -u logs.sent -c 4 -i 100 -r 30000 -s 4 "$(collector_address 2)" >logs.json 2>>err &
logs=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
	if [ $((i % 2)) -eq 0 ]; then config 'memory_limiter, batch' >c.yaml; else config '' >c.yaml; fi
	kill -HUP "$COLLECTOR"
	wait_for 'msg="configuration reloaded"' $i
	kill -HUP "$sink_pid"
	sleep 0.1
done
wait $traces $logs
is 'the collector reloaded each time' 10 "$(logged 'msg="configuration reloaded"')"
for signal in traces logs; do
	expect_that "no request of $signal was refused, no connection lost" grep -q '"refused": 0, "failed": 0' $signal.json
	cp $signal.json out
done

# ---- a bad configuration ----

echo '  nosuch: {}' >>c.yaml
kill -HUP "$COLLECTOR"
expect_that 'a bad configuration is reported' wait_for 'msg="reload failed, the old configuration goes on" err="c.yaml:15:3: service: unknown key' 1
"$ITEMS" send -k traces -b $BASE -u traces.sent -c 1 -i 100 -n 10 -f 1000000 "$(collector_address 1)" >out 2>>err
expect_that 'the old configuration goes on' grep -q '"requests": 10,' out
expect_that 'the collector ends on SIGTERM' stop_collector
COLLECTOR_LOG=$sink_log
expect_that 'the sink ends on SIGTERM' stop_collector TERM "$sink_pid"
for signal in traces logs; do
	"$ITEMS" count -k $signal -b $BASE -i 100 -u $signal.sent $signal.out >out 2>>err
	expect_that "all acknowledged $signal arrived once" grep -q '"lost": 0, "twice": 0, "foreign": 0' out
done

# ---- --watch: written in place, replaced, behind a symbolic link that is switched, included ----

mkdir v1 v2
config batch >v1/c.yaml
config '' >v2/c.yaml
ln -s v1 data
ln -s data/c.yaml linked.yaml
config batch >plain.yaml
echo '{timeout: 60ms}' >part.yaml
# shellcheck disable=SC2016 # varve expands it
NAME=watch start_collector --watch --config plain.yaml --config linked.yaml --set 'processors::batch=${file:part.yaml}'
config '' >plain.yaml
expect_that 'a file that is written is loaded' wait_for 'msg="configuration reloaded"' 1
config batch >new.yaml
mv new.yaml plain.yaml
expect_that 'a file that is replaced is loaded' wait_for 'msg="configuration reloaded"' 2
ln -s v2 next
mv -T next data
expect_that 'a link that is switched is followed' wait_for 'msg="configuration reloaded"' 3
echo '{timeout: 70ms}' >part.yaml
expect_that 'an included file is watched' wait_for 'msg="configuration reloaded"' 4
echo 'receivers: [' >plain.yaml
expect_that 'a bad file is reported once' wait_for 'msg="reload failed, the old configuration goes on" err="plain.yaml:' 1
config '' >plain.yaml
expect_that 'and loaded when it is good again' wait_for 'msg="configuration reloaded"' 5
is 'no reload without a change' 5 "$(logged 'msg="configuration reloaded"')"
is 'no error without a change' 1 "$(logged 'msg="reload failed')"
expect_that 'it ends on SIGTERM' stop_collector

# ---- varve up: the store and the API stay ----

"$VARVE" config show up >up.yaml
sed -i 's/endpoint: .*/endpoint: 127.0.0.1:0/' up.yaml
start_server --config up.yaml
COLLECTOR_LOG=$SCRATCH/server.log
printf 'main;x 1\n' | curl -s -o out --data-binary @- "$URL/ingest?name=one%7B%7D&spyName=x"
kill -HUP "$SERVER"
expect_that 'varve up reloads' wait_for 'msg="configuration reloaded"' 1
printf 'main;x 1\n' | curl -s -o out --data-binary @- "$URL/ingest?name=two%7B%7D&spyName=x"
printf 'main;x 1\n' | curl -s -o out --data-binary @- "$URL/api/v1/upload?service=three"
curl -s "$URL/api/v1/stats" >out
expect_that 'what was stored before and after is there' grep -q '"series":3,' out
sed -i 's/^service:/&\n  telemetry: {logs: {encoding: json}}/' up.yaml
kill -HUP "$SERVER"
expect_that 'the form of the log changes' wait_for '^{"ts":".*","level":"info","msg":"configuration reloaded"' 1
sed -i 's/retention: 0/retention: 90d/' up.yaml
kill -HUP "$SERVER"
expect_that 'the store cannot be replaced' wait_for 'the settings of an open store cannot change: restart the program' 1
curl -s "$URL/api/v1/stats" >out
expect_that 'the old store goes on' grep -q '"series":3,' out
expect_that 'the server ends on SIGTERM' stop_server
finish
