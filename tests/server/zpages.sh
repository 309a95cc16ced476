#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages of the extension zpages: what they show of a running collector, and who may read them.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
: >out
: >err

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

page() { # path [options of curl]
	path=$1
	shift
	curl -s -m 60 "$@" "http://$zpages/debug/$path" >page.html
}

shows() { # name regex...
	name=$1
	shift
	for regex in "$@"; do
		grep -Eq -e "$regex" page.html || {
			cp page.html out
			report 'not ok' "$name (nothing matches: $regex)"
			return
		}
	done
	report ok "$name"
}

status_of() { # path [options of curl]
	path=$1
	shift
	curl -s -m 60 -o /dev/null -w '%{http_code}' "$@" "http://$zpages/debug/$path"
}

free_port 2
cat >c.yaml <<EOF
receivers:
  otlp: {protocols: {http: {endpoint: 127.0.0.1:0}}}
processors:
  attributes: {actions: [{key: a, value: b, action: insert}]}
  memory_limiter: {check_interval: 1s, limit_mib: 1000}
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:9
    sending_queue: {storage: file_storage}
  nop:
  nop/<b>:
extensions:
  zpages: {endpoint: "localhost:$port"}
  file_storage: {directory: queues, create_directory: true}
  basicauth: {htpasswd: {inline: "alice:secret"}}
service:
  extensions: [zpages, file_storage, basicauth]
  pipelines:
    traces: {receivers: [otlp], processors: [memory_limiter, attributes], exporters: [otlphttp]}
    logs: {receivers: [otlp], processors: [memory_limiter], exporters: [nop, nop/<b>]}
EOF
start_collector --config c.yaml
for address in 1 2; do
	case $(collector_address $address) in
	*:"$port") ;;
	*) otlp=$(collector_address $address) ;;
	esac
done
zpages=localhost:$port
curl -s -m 60 -o answer -H 'content-type: application/json' "http://$otlp/v1/traces" -d '{"resourceSpans":[{"scopeSpans":[{"spans":[
	{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a"},
	{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060709","name":"b"}]}]}]}'
is 'spans are accepted' '{}' "$(cat answer)"
tries=300
until page servicez && grep -q 'otlphttp.*http://127.0.0.1:9.*no' page.html; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || break
	sleep 0.1
done
shows 'servicez shows build, runtime and deliveries' '<td>Version</td><td>[^<]+' '<td>Arch</td><td>[^<]+' \
	'<td>otlphttp</td><td>http://127.0.0.1:9</td><td>no</td><td class="n">2</td>' 'href="/debug/pipelinez"'
page pipelinez
shows 'pipelinez shows the pipelines' '<td>traces</td><td>traces</td><td>true</td><td>otlphttp</td>' \
	'<td>logs</td><td>logs</td><td>false</td><td>no</td>' '>memory_limiter</a><br>'
shows 'ids are escaped' '>nop/&lt;b&gt;</a>' 'zcomponentname=nop%2F%3Cb%3E&amp;'
expect_not 'everywhere' grep -q '<b>' page.html
page 'pipelinez?zpipelinename=traces&zcomponentname=otlp&zcomponentkind=receiver'
shows 'and the metrics of a component' '<td>otelcol_receiver_accepted_spans\{receiver=&quot;otlp&quot;,.*</td><td>2</td>'
page extensionz
shows 'extensionz shows the extensions' '<td>zpages</td>' '<td>basicauth</td>' '<td>file_storage</td>'
page featurez
shows 'featurez says that there are no gates' 'no feature gates'
page tracez
shows 'tracez shows latencies' '<td>receiver/otlp/traces/http</td>' '<td>exporter/otlphttp/traces</td>' \
	'zspanname=receiver%2Fotlp%2Ftraces%2Fhttp&amp;ztype=1&amp;zsubtype=[0-8]">1</a>'
page 'tracez?zspanname=exporter/otlphttp/traces&ztype=2'
shows 'and the last errors' '<td class="n">2</td><td>http://127.0.0.1:9'

# ---- after a reload ----

echo '    metrics/new: {receivers: [otlp], exporters: [nop]}' >>c.yaml
kill -HUP "$COLLECTOR"
tries=300
until grep -q 'msg="configuration reloaded"' "$COLLECTOR_LOG" || [ $tries -eq 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
page pipelinez
shows 'the pages show the new configuration' '<td>metrics/new</td><td>metrics</td><td>false</td><td>no</td>'
page tracez
shows 'and what was delivered before' '<td>receiver/otlp/traces/http</td>'

# ---- who may read them ----

is 'only names of this machine are accepted on a loopback address' 403 "$(status_of servicez -H 'Host: evil.example')"
is 'pages of other origins are refused' 403 "$(status_of servicez -H 'Origin: http://evil.example')"
is 'there is nothing to be written' 405 "$(status_of servicez -d a=b)"
is 'there is no other page' 404 "$(status_of expvarz)"
page servicez -D headers
expect_that 'the pages may load nothing' grep -qi "content-security-policy: default-src 'none'" headers
stop_collector TERM
start_collector --config c.yaml --set extensions::zpages::auth::authenticator=basicauth \
	--set 'service::pipelines::traces::exporters=[nop]'
is 'with an authenticator, even one that is listed after it, requests need credentials' 401 "$(status_of servicez)"
is 'with them the pages are served' 200 "$(status_of servicez -u alice:secret)"
expect_that 'the collector ends' stop_collector

# ---- settings ----

run config check c.yaml 'yaml:extensions::zpages::expvar::enabled: true' 'yaml:extensions::zpages::read_timeout: 1s'
expect 'keys without effect are warnings' 0 '"expvar" is not supported' '"read_timeout" is not supported'
run config check c.yaml 'yaml:extensions::zpages::endpont: x'
expect 'an unknown key is an error' 2 'unknown option "endpont"; did you mean "endpoint"'
finish
