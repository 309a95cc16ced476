#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Metrics of OTLP are stored and listed as in Prometheus' API, also after a restart, and what is wrong
# is refused with a reason.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

get() {
	curl -gsf "$URL/prometheus/api/v1/$1" >out 2>err
	code=$?
}

# Query by a form: the answer and the status are in out.
post() {
	path=$1 query=$2
	shift 2
	curl -s -o out -w '%{http_code}' "$URL/api/v1/$path" --data-urlencode "$query" "$@" >status 2>err
	code=$?
	cat status >>out
}

lists() {
	get 'label/__name__/values'
	expect "names, $1" 0 '"data":\["http_requests_total","queue_length","target_info"\]'
	get 'label/route/values?match[]=http_requests_total'
	expect "values, $1" 0 '"data":\["/cart","/pay"\]'
	get 'series?match[]=http_requests_total{route="/pay"}'
	expect "series, $1" 0 '"data":\[\{"__name__":"http_requests_total","instance":"i1","job":"shop/checkout","route":"/pay"\}\]'
	get 'metadata?metric=http_requests_total'
	expect "metadata, $1" 0 '"type":"counter","help":"Requests."'
	post query 'query=sum by (job) (http_requests_total)'
	expect "PromQL, $1" 0 '^\{"status":"success","data":\{"resultType":"vector","result":\[\{"metric":\{"job":"shop/checkout"\},"value":\[[0-9.]*,"8"\]\}\]\}\}200$'
	post query_range 'query=queue_length' -d "start=$seconds&end=$((seconds + 30))&step=15s"
	expect "PromQL over a range, $1" 0 '"resultType":"matrix"' '"values":\[\[[0-9]*,"1.5"\]'
	run query promql --url "$URL" --instant 'http_requests_total{route="/pay"} * 2'
	expect "a table, $1" 0 '^ *10  \{instance="i1", job="shop/checkout", route="/pay"\}$'
	run query promql --url "$URL" queue_length --from now-2m
	expect "a chart, $1" 0 '^ *1.5  .*queue_length\{instance="i1", job="shop/checkout"\}$'
}

start_server
now=$(date +%s%N)
seconds=$((now / 1000000000 + 1))
point() {
	echo "{\"timeUnixNano\":\"$now\",\"asInt\":\"$2\",\"attributes\":[{\"key\":\"route\",\"value\":{\"stringValue\":\"$1\"}}]}"
}
curl -sf -H 'content-type: application/json' "$URL/v1/metrics" --data @- >out 2>err <<END
{"resourceMetrics":[{"resource":{"attributes":[
{"key":"service.name","value":{"stringValue":"checkout"}},{"key":"service.namespace","value":{"stringValue":"shop"}},
{"key":"service.instance.id","value":{"stringValue":"i1"}},{"key":"host.name","value":{"stringValue":"h"}}]},
"scopeMetrics":[{"metrics":[
{"name":"http.requests","description":"Requests.","sum":{"isMonotonic":true,"aggregationTemporality":2,"dataPoints":[$(point /cart 3),$(point /pay 5)]}},
{"name":"queue.length","gauge":{"dataPoints":[{"timeUnixNano":"$now","asDouble":1.5}]}}]}]}]}
END
code=$?
expect 'metrics are accepted' 0
lists 'at once'
curl -s -o out -w '%{http_code}' -X POST "$URL/api/v1/write" --data-binary x >status 2>err
expect_that 'another content type is refused' grep -q 415 status
curl -s -o out -w '%{http_code}' -H 'content-type: application/x-protobuf' "$URL/api/v1/write" --data-binary xyz >status 2>err
expect_that 'damaged requests are refused' grep -q 400 status
post query 'query=sum('
expect 'a syntax error' 0 '"errorType":"bad_data","error":"invalid parameter \\"query\\": 1:5: parse error: .*400$'
post query 'query=http_requests_total + on(job) http_requests_total'
expect 'a query that cannot be evaluated' 0 '"errorType":"execution",.*422$'
post query_range 'query=up' -d 'start=0&end=11001&step=1'
expect 'too many points' 0 'exceeded maximum resolution of 11,000 points.*400$'
post query 'query=count_over_time(vector(1)[1d:10ms])' -d timeout=1ms
expect 'a timeout' 0 '"errorType":"timeout",.*503$'
post format_query 'query=sum by(a)(rate(x[5m]))'
expect 'a formatted query' 0 '"data":"sum by \(a\) \(rate\(x\[5m\]\)\)"'
get 'series?match[]={route=~"/p.*",__name__!="x"}'
expect 'selectors of PromQL' 0 '"route":"/pay"'
get 'status/buildinfo'
expect 'the version' 0 '"version":"3'
run query promql --url "$URL" 'sum('
expect 'the command prints the error' 2 'parse error'
run query promql --url "$URL"
expect 'the command needs an expression' 2 'needs one expression'
expect_that 'the server stops' stop_server
start_server
lists 'after a restart'
expect_that 'the server stops again' stop_server

# spans are counted by service and name, and their durations
start_server --set connectors::spanmetrics::metrics_flush_interval=200ms
curl -sf -H 'content-type: application/json' "$URL/v1/traces" --data @- >out 2>err <<END
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pay"}}]},"scopeSpans":[{"spans":[
{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"charge","kind":2,
"startTimeUnixNano":"$now","endTimeUnixNano":"$((now + 5000000))"}]}]}]}
END
code=$?
expect 'spans are accepted' 0
for _ in $(seq 100); do
	get 'series?match[]=traces_spanmetrics_calls_total{service_name="pay"}'
	grep -q charge out && break
	sleep 0.1
done
expect 'calls are a series' 0 '"span_kind":"SPAN_KIND_SERVER","span_name":"charge","status_code":"STATUS_CODE_UNSET"'
get 'label/le/values?match[]=traces_spanmetrics_duration_seconds_bucket{service_name="pay"}'
expect 'durations have buckets in seconds' 0 '"0.002","0.004","0.006"'
expect_that 'the server stops once more' stop_server

# an address with Prometheus' own paths
start_server --prometheus-listen localhost:0
PROMETHEUS=http://$(sed -n 's/.* prometheus=\([^ ]*\).*/\1/p' "$SCRATCH/server.log" | tail -1)
at() { # path [options of curl]
	path=$1
	shift
	curl -gs -o out -w '%{http_code}' "$@" "$PROMETHEUS$path" >status 2>err
	code=$?
	cat status >>out
}
at '/api/v1/labels'
expect 'labels are those of metrics there' 0 '"span_name".*200$'
at '/api/v1/query' --data-urlencode 'query=sum(http_requests_total)'
expect 'queries have no prefix' 0 '"resultType":"vector".*200$'
at '/federate?match[]=http_requests_total'
expect 'federation' 0 '^http_requests_total\{instance="i1",job="shop/checkout",route="/cart"\} 3 [0-9]*$'
at '/-/ready'
expect 'readiness' 0 'Ready' '200$'
at '/api/v1/otlp/v1/metrics' -H 'content-type: application/json' --data '{}'
expect 'OTLP' 0 '200$'
at '/api/v1/write' --data-binary x
expect 'remote write' 0 '415$'
printf '\000' >empty
at '/api/v1/read' --data-binary @empty -H 'content-encoding: snappy' -H 'content-type: application/x-protobuf'
expect 'remote read' 0 '200$'
at '/api/v1/targets'
expect 'no targets' 0 '\{"activeTargets":\[\],"droppedTargets":\[\],"droppedTargetCounts":\{\}\}'
at '/pyroscope/render'
expect 'nothing else is there' 0 '404$'
post query_exemplars 'query=traces_spanmetrics_calls_total'
expect 'exemplars' 0 '"status":"success","data":\[.*200$'
expect_that 'the server with two addresses stops' stop_server

# the receiver prometheus scrapes the server's own federation, and an address where nothing listens
free_port 2
start_server --prometheus-listen "127.0.0.1:$port" \
	--set "receivers::prometheus::config={global: {scrape_interval: 1s}, scrape_configs: [{job_name: own, honor_labels: true, metrics_path: /federate, params: {'match[]': [http_requests_total]}, static_configs: [{targets: ['127.0.0.1:$port'], labels: {place: here}}]}, {job_name: nothing, static_configs: [{targets: ['127.0.0.1:$((port + 1))']}]}]}" \
	--set 'service::pipelines::metrics::receivers=[otlp, otlp/pyroscope, prometheusremotewrite, spanmetrics, prometheus]'
for _ in $(seq 100); do
	get 'targets'
	grep -q '"health":"up"' out && grep -q '"health":"down"' out && break
	sleep 0.1
done
expect 'targets' 0 '"discoveredLabels":\{"__address__":"127.0.0.1:[0-9]*","__metrics_path__":"/federate","__param_match\[\]":"http_requests_total"' \
	'"labels":\{"instance":"127.0.0.1:[0-9]*","job":"own","place":"here"\},"scrapePool":"own","scrapeUrl":"http://127.0.0.1:[0-9]*/federate\?' \
	'"lastError":"[^"]+[^}]*"health":"down","scrapeInterval":"1s"'
get 'targets?state=dropped'
expect 'no active targets' 0 '"activeTargets":\[\]'
get 'targets?scrapePool=nothing'
expect_that 'targets of a job' sh -c '! grep -q federate out'
get 'scrape_pools'
expect 'jobs' 0 '\{"scrapePools":\["nothing","own"\]\}'
get 'targets/metadata?match_target={job="own"}&metric=http_requests_total'
expect 'metadata of targets' 0 '\[\{"target":\{[^}]*"job":"own"[^}]*\},"type":"unknown","help":"","unit":""\}\]'
get 'targets/metadata?match_target={job="nothing"}'
expect 'no metadata' 0 '"data":\[\]'
expect_that 'the server that scrapes stops' stop_server
run config show up --no-span-metrics
expect_that 'they can be turned off' sh -c '! grep -q spanmetrics out'
run store check "$SCRATCH/data"
expect 'the store is intact' 0
run store stats "$SCRATCH/data"
expect 'metrics are counted' 0 'samples of metrics'
finish
