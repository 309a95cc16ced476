#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options
# The receiver pprof: a server scrapes /debug/pprof of another one, and a collector profiles itself;
# files; targets that fail; reload and end while a profile is being recorded.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
TARGET=
trap 'kill "$SERVER" $TARGET "$COLLECTOR" 2>/dev/null; rm -rf "$work"' EXIT
COLLECTOR=

wait_for() { # name command...: wait up to a minute
	wait_name=$1
	shift
	for _ in $(seq 300); do
		"$@" && break
		sleep 0.2
	done
	expect_that "$wait_name" "$@"
}

end_load() {
	kill $loading 2>/dev/null
	wait $loading 2>/dev/null
}

# ---- settings ----

check() { # name regex yaml...
	name=$1 regex=$2
	shift 2
	printf '%s\n' "$@" 'exporters: {nop: }' 'service: {pipelines: {profiles: {receivers: [pprof], exporters: [nop]}}}' >check.yaml
	run config check check.yaml
	if [ -n "$regex" ]; then expect "$name" 2 "$regex"; else expect "$name" 0; fi
}
check 'a job of Prometheus with profiles of Alloy is valid' '' 'receivers:' '  pprof:' '    scrape_configs:' '    - job_name: shop' \
	'      scrape_interval: 15s' '      delta_profiling_duration: 14s' \
	'      profiling_config: {path_prefix: /x, profile.memory: {enabled: true, path: /debug/pprof/heap}, fgprof: {enabled: true}}' \
	'      relabel_configs: [{source_labels: [__name__], regex: mutex, action: drop}]' '      static_configs: [{targets: [localhost:6060]}]'
check "the sources of the collector's receiver are valid" '' 'receivers:' '  pprof:' \
	'    remote: {endpoint: "http://localhost:6060/debug/pprof/heap", collection_interval: 10s}' \
	'    file: {include: "/tmp/nosuch/*.pprof"}' '    self: {block_profile_fraction: 1, mutex_profile_fraction: 1}'
check 'a mistyped profile is an error with its place' 'check.yaml:5:26: receiver pprof: unknown option "gorutine"; did you mean "goroutine"' 'receivers:' '  pprof:' \
	'    scrape_configs:' '    - job_name: shop' '      profiling_config: {gorutine: {enabled: false}}'
check 'a receiver without sources is an error' 'nothing to scrape' 'receivers: {pprof: }'

# ---- a server scrapes another one ----

SELF_PROFILE=on
SCRATCH=$work/target
mkdir "$SCRATCH"
start_server
if grep -q 'does not profile itself' "$SCRATCH/server.log"; then
	skip 'a server scrapes another one' "$(sed -n 's/.*does not profile itself" //p' "$SCRATCH/server.log")"
	expect_that 'the server ends on SIGTERM' stop_server
	finish
fi
TARGET=$SERVER
TARGET_URL=$URL
TARGET_ADDRESS=${URL#http://}
SELF_PROFILE=off
SCRATCH=$work
cat >jobs.yaml <<EOF
scrape_configs:
- job_name: target
  scrape_interval: 2s
  profiling_config: {block: {enabled: false}, mutex: {enabled: false}}
  static_configs: [{targets: ['$TARGET_ADDRESS'], labels: {env: test}}]
  relabel_configs: [{target_label: service_name, replacement: the-target}]
- job_name: down
  scrape_interval: 1s
  profiling_config: {block: {enabled: false}, mutex: {enabled: false}, goroutine: {enabled: false}, process_cpu: {enabled: false}}
  static_configs: [{targets: ['127.0.0.1:1']}]
EOF
# shellcheck disable=SC2016 # varve expands it
start_server --set 'receivers::pprof=${file:jobs.yaml}' --set 'service.pipelines.profiles.receivers=[otlp, pyroscope, pprof]'
"$LOAD" -k push -c 2 -s 60 127.0.0.1 "${TARGET_URL##*:}" >load.json 2>&1 &
loading=$!
has_type() { run query types the-target --url "$URL" && grep -q "$1" out; }
wait_for 'CPU time of the target is stored' has_type process_cpu:cpu
wait_for 'and its threads' has_type goroutine:goroutine
if nm -D "$VARVE" | grep -q ' T malloc$'; then
	wait_for 'and memory in use' has_type memory:inuse_space
	wait_for 'and what it has allocated meanwhile' has_type memory:alloc_space
else
	skip 'heap profiles of the target are stored' 'a sanitizer replaces the allocator'
fi
end_load
run query top '{service_name="the-target",env="test",job="target"}' --type cpu --url "$URL"
expect 'its profiles have the labels of the target' 0 'the-target|thread'
errors() { curl -fs "$URL/metrics" | awk '/^otelcol_scraper_errored_profile_records\{/ { print $2 }'; }
several_errors() { [ "$(errors)0" -ge 30 ]; }
wait_for 'failures are counted' several_errors
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
is 'a target that is down is logged once' 1 "$(grep -c 'msg="profile not scraped".*127.0.0.1:1/debug/pprof/allocs' server.log)"
expect_that 'and the rest goes on' kill -0 "$SERVER"
expect_that 'the server ends on SIGTERM' stop_server

# ---- a profile that takes long does not delay a reload or the end ----

cat >long.yaml <<EOF
receivers:
  pprof: {remote: {endpoint: '$TARGET_URL/debug/pprof/profile?seconds=600', initial_delay: 0s}}
exporters: {nop: }
service: {pipelines: {profiles: {receivers: [pprof], exporters: [nop]}}}
EOF
start_collector --config long.yaml
sleep 1
kill -HUP "$COLLECTOR"
wait_for 'the configuration is reloaded' grep -q 'msg="configuration reloaded"' "$COLLECTOR_LOG"
sleep 1
expect_that 'the collector ends on SIGTERM' stop_collector
expect_not 'what was cancelled is not logged as a failure' grep -Eqi 'cancel|abort|callback' "$COLLECTOR_LOG"
SERVER=$TARGET
expect_that 'the target ends, too' stop_server
TARGET=

# ---- files, and this process ----

run convert "$SOURCE_ROOT/examples/checkout.pb.gz" -o one.pb.gz
cat >self.yaml <<'EOF'
receivers:
  pprof: {file: {include: '*.pb.gz', collection_interval: 200ms, initial_delay: 0s}}
  pprof/self: {self: {collection_interval: 2s, initial_delay: 0s}}
  pyroscope: {endpoint: 127.0.0.1:0}
exporters:
  nop:
  file/files: {path: files.json}
  file/self: {path: self.json}
service:
  pipelines:
    profiles: {receivers: [pyroscope], exporters: [nop]}
    profiles/files: {receivers: [pprof], exporters: [file/files]}
    profiles/self: {receivers: [pprof/self], exporters: [file/self]}
EOF
start_collector --config self.yaml
lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }
wait_for 'a file is read' lines files.json 1
sleep 1
is 'once' 1 "$(wc -l <files.json)"
cp one.pb.gz two.pb.gz
wait_for 'a new file is read' lines files.json 2
address=$(collector_address 1)
"$LOAD" -k push -c 2 -s 60 127.0.0.1 "${address##*:}" >load.json 2>&1 & # a profile needs CPU time
loading=$!
wait_for 'the collector profiles itself' grep -q '"stringValue":"process_cpu"' self.json
end_load
expect_that 'it ends on SIGTERM' stop_collector
finish
