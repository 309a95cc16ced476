#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve collector: start, end, errors, several files, and what arrives at the other end of its pipelines.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

# ---- the command line ----

run collector
expect 'a configuration is required' 2 'at least one --config FILE must be provided; see varve collector --help'
run collector some.yaml
expect 'files are named with --config' 2 'takes no arguments; name files with --config'
run collector --config nosuch.yaml
expect 'a missing file is an error' 2 '^varve: nosuch.yaml: No such file'
run collector --help
expect 'the help has examples' 0 'varve collector --config base.yaml --config production.yaml' '--memory-limit SIZE'

# ---- errors of a configuration have their place and start nothing ----

bad() { # name regex yaml...
	name=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >bad.yaml
	run collector --config bad.yaml
	expect "$name" 2 "^varve: $regex"
}
bad 'YAML that cannot be parsed is an error' 'bad.yaml:3:1: did not find expected' 'receivers:' '  otlp: {'
bad 'an unknown component is an error' 'bad.yaml:4:3: unknown exporter "nopp"; did you mean "nop"' \
	'receivers:' '  otlp: {protocols: {grpc: }}' 'exporters:' '  nopp:'
bad 'no pipeline is an error' '.*no pipelines are configured' 'receivers: {otlp: {protocols: {grpc: }}}'
bad 'a component that does not support the signal is an error' 'bad.yaml:5:5: receiver "pyroscope" does not take traces' \
	'receivers: {pyroscope: }' 'exporters: {nop: }' 'service:' '  pipelines:' \
	'    traces: {receivers: [pyroscope], exporters: [nop]}'
bad 'a component that is not configured is an error' 'bad.yaml:.*exporter "file" is not configured' \
	'receivers: {pyroscope: }' 'exporters: {nop: }' 'service:' '  pipelines:' \
	'    profiles: {receivers: [pyroscope], exporters: [file]}'
# shellcheck disable=SC2016 # varve expands it
bad 'an unset variable is an error' 'bad.yaml:1:.*NO_SUCH_VARIABLE is not set' 'receivers: {pyroscope: {endpoint: "${NO_SUCH_VARIABLE}"}}'

# ---- mistakes in an otherwise valid configuration: each has a place and says what to do ----

cat >valid.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}
processors:
  batch:
    timeout: 1s
    send_batch_size: 100
  memory_limiter: {check_interval: 1s, limit_mib: 100}
exporters:
  debug:
extensions:
  health_check:
service:
  extensions: [health_check]
  pipelines:
    traces: {receivers: [otlp], processors: [batch, memory_limiter], exporters: [debug]}
EOF
run config check valid.yaml
expect 'without a mistake it is valid' 0
mistake() { # name regex sed-script
	sed "$3" valid.yaml >bad.yaml
	run config check bad.yaml
	expect "$1" 2 "$2"
}
mistake 'a tab' '^varve: bad.yaml:5:1: tab character may not be used as indentation; indent with spaces' '5s/^ */\t/'
mistake 'a brace that is not closed' '^varve: bad.yaml:8:10: missing comma in flow mapping; is a } missing before' '7s/}//'
mistake 'a key twice' '^varve: bad.yaml:10:1: duplicate key "exporters", first used in line 8: join them, or remove one' '10s/.*/exporters:/'
mistake 'an unknown key' '^varve: bad.yaml:5:5: processor batch: unknown option "timout"; did you mean "timeout"\?' '5s/timeout/timout/'
mistake 'an unknown component' '^varve: bad.yaml:4:3: unknown processor "btach"; did you mean "batch"\?' '4s/batch/btach/'
mistake 'a bad duration' '^varve: bad.yaml:5:5: .*"timeout" has to be a duration, such as 200ms' '5s/1s/1x/'
mistake 'a bad number' '^varve: bad.yaml:6:5: .*"send_batch_size" has to be a whole number, such as 8192, found "abc"' '6s/100/abc/'
mistake 'a processor that is not defined' '^varve: bad.yaml:15:[0-9]+: processor "bach" is not configured; did you mean "batch"\?' '15s/\[batch/[bach/'
mistake 'an unknown key at the top' '^varve: bad.yaml:12:1: unknown key "pipelines"; it belongs below "service"' '12s/service:/pipelines:/;13,$d'
mistake 'memory_limiter without a limit' '^varve: bad.yaml:7:3: .*is set: set limit_mib' '7s/, limit_mib: 100//'
# shellcheck disable=SC2016 # varve expands it
mistake 'an unset variable' '^varve: bad.yaml:5:[0-9]+: environment variable UNSET_X is not set: set it, give a default' '5s/1s/${env:UNSET_X}/'
run config check valid.yml
expect 'a missing file' 2 'valid.yml: No such file or directory; did you mean "valid.yaml"\?'
run collector --config valid.yaml --feature-gates=service.profilesSupport --set service.pipelines=
expect 'feature gates are ignored with a note' 2 'feature-gates is ignored: there are no feature gates' 'no pipelines are configured'

# ---- start and end ----

cat >base.yaml <<'EOF'
receivers:
  pyroscope: {endpoint: 127.0.0.1:0}
exporters:
  nop:
  file: {path: out.proto}
  file/2: {path: other.proto, format: json}
service:
  pipelines:
    profiles: {receivers: [pyroscope], exporters: [nop]}
EOF
start_collector --config base.yaml
expect_that 'the ready line is that of the collector' \
	grep -Eq 'level=info msg="Everything is ready. Begin running and processing data." addresses=127.0.0.1:[0-9]+ ms=[0-9]+$' "$COLLECTOR_LOG"
expect_that 'a component that no pipeline uses is a warning with its place' \
	grep -q 'level=warn msg=configuration warning="base.yaml:5:3: exporter .*file.* is configured, but no pipeline uses it"' "$COLLECTOR_LOG"
is 'the port is served' 200 "$(curl -s -o out -w '%{http_code}' "http://$(collector_address 1)/ready")"
is 'any Host is accepted' 200 "$(curl -s -o out -w '%{http_code}' -H 'Host: collector:4318' "http://$(collector_address 1)/ready")"
is 'without service.api there is no API' 404 "$(curl -s -o out -w '%{http_code}' "http://$(collector_address 1)/api/v1/services")"
expect_that 'it ends on SIGTERM with exit code 0' stop_collector
expect_that 'the end is logged' grep -q 'msg=ended' "$COLLECTOR_LOG"
start_collector --config base.yaml --set service::pipelines::profiles::exporters='[nop, file, file/2]'
expect_not 'no warning of components that are used' grep -q 'level=warn' "$COLLECTOR_LOG"
expect_that 'it ends on SIGINT with exit code 0' stop_collector INT

# ---- a second signal does not wait for exporters ----

cat >stuck.yaml <<'EOF'
receivers:
  pyroscope: {endpoint: 127.0.0.1:0}
exporters:
  otlphttp: {endpoint: "http://127.0.0.1:1", sending_queue: {enabled: true}}
service:
  pipelines:
    profiles: {receivers: [pyroscope], exporters: [otlphttp]}
EOF
start_collector --config stuck.yaml
is 'data for a backend that is down is queued' 200 "$(printf 'main;work 7\n' | curl -s -o out -w '%{http_code}' --data-binary @- \
	"http://$(collector_address 1)/ingest?name=shop%7B%7D&spyName=x")"
kill $COLLECTOR
sleep 1
kill $COLLECTOR
wait $COLLECTOR
is 'the second signal ends the process with its number' 143 $?
expect_that 'which is logged' grep -q 'second signal: ending without draining' "$COLLECTOR_LOG"

# ---- several files ----

cat >more.yaml <<'EOF'
exporters:
  file/2: {path: merged.json}
service:
  pipelines:
    profiles: {exporters: [file, file/2]}
EOF
run config check base.yaml more.yaml
expect 'several files are checked together' 0 '^varve: warning: base.yaml:4:3: exporter "nop" is configured, but no pipeline uses it'
run config show collector base.yaml more.yaml
expect 'and shown together' 0 'path: merged.json' 'format: json' 'endpoint: 127.0.0.1:0' '- file/2'
expect_not 'lists are replaced, not merged' grep -q -- '- nop' out
expect 'with the defaults of all components' 0 '^    max_request_body_size: '
run config show collector
expect 'showing needs a file' 2 'show collector FILE'

# ---- data: what a receiver of decoded data sends arrives as OTLP at two exporters ----

start_collector --config base.yaml --config more.yaml
is 'profiles are accepted' 200 "$(printf 'main;work 7\n' | curl -s -o out -w '%{http_code}' --data-binary @- \
	"http://$(collector_address 1)/ingest?name=shop%7B%7D&spyName=x")"
expect_that 'and the collector ends' stop_collector
expect_that 'one exporter wrote them as JSON' grep -q '"stringValue":"shop"' merged.json
expect_that 'the other one as protobuf' grep -q 'shop' out.proto

# ---- a store ----

cat >store.yaml <<'EOF'
receivers:
  pyroscope: {endpoint: 127.0.0.1:0}
exporters:
  store: {directory: data}
  file: {path: forwarded.json}
service:
  pipelines:
    profiles: {receivers: [pyroscope], exporters: [store, file]}
EOF
start_collector --config store.yaml
is 'a pipeline with a store and another exporter accepts profiles' 200 "$(printf 'main;work 7\n' | curl -s -o out -w '%{http_code}' \
	--data-binary @- "http://$(collector_address 1)/ingest?name=shop%7B%7D&spyName=x")"
expect_that 'and ends' stop_collector
is 'the store has them' 1 "$("$VARVE" store stats data --json | sed -n 's/.*"profiles": \([0-9]*\).*/\1/p')"
expect_that 'the other exporter, too' grep -q '"stringValue":"shop"' forwarded.json
start_collector --config store.yaml --set service.api.endpoint=127.0.0.1:0
expect_that 'with service.api, the API is served' curl -sf -o out "http://$(collector_address 2)/api/v1/services"
is 'and then only names of this machine are accepted' 403 "$(curl -s -o out -w '%{http_code}' -H 'Host: collector:4318' "http://$(collector_address 2)/ready")"
stop_collector
run collector --config store.yaml --set service.api.endpoint=0.0.0.0:0
expect 'the API is for this machine only' 2 'can be reached from other machines: .*varve up'

# ---- the files of guides ----

guides=$SOURCE_ROOT/../shared/fixtures/collector
[ -d "$guides" ] || skip 'files of guides' 'no fixtures'
for guide in "$guides"/*.yaml; do
	[ -f "$guide" ] || continue
	run config check --allow-unset "$guide"
	if grep -q ': unknown [a-z]* "' err; then
		skip "a guide's configuration is accepted" "$(sed -n 's/.*\(unknown [a-z]* ".*\)/\1/p' err)"
	else
		expect "a guide's configuration is accepted: ${guide##*/}" 0
	fi
done

# ---- varve up: the same pipelines ----

run config show up --set 'exporters.file.path=forwarded.json' --set 'service.pipelines.profiles.exporters=[store, file]'
expect 'varve up can get one more exporter by --set' 0 '- file$'
finish
