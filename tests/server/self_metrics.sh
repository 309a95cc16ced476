#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The server stores its own metrics and answers PromQL over them, also after a reload of the
# configuration and with tenants; --no-self-metrics turns that off. No metric of /metrics is missing.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
SELF_METRICS=on
trap 'kill "$SERVER" 2>/dev/null; rm -rf "$work"' EXIT

ask() { # query [curl options]
	query=$1
	shift
	curl -gsf "$URL/prometheus/api/v1/query" --data-urlencode "query=$query" "$@" >out 2>err
	code=$?
}

# The first metrics are stored a second after the start.
wait_for_up() {
	for _ in $(seq 100); do
		ask up "$@" && grep -q '"job":"varve"' out && return 0
		sleep 0.1
	done
	return 1
}

start_server
expect_that 'the server stores its own metrics' wait_for_up
expect 'the series up has an instance' 0 '"metric":\{"__name__":"up","instance":"[^"]*:'"$PORT"'","job":"varve"\},"value":\[[0-9.]*,"1"\]'
curl -sf "$URL/metrics" >metrics
sed -n 's/^\([a-z_:]*\)[{ ].*/\1/p' metrics | sort -u >served
curl -gsf "$URL/prometheus/api/v1/label/__name__/values?match[]={job=\"varve\"}" | tr ',[]' '\n' | sed -n 's/^"\([a-z_:]*\)".*/\1/p' | sort >stored
# counters by path or status appear with the first request
expect_that 'all metrics of /metrics are stored under their names' [ "$(comm -23 served stored | grep -cv '_api_\|_net_requests')" = 0 ]
run query promql --url "$URL" --instant 'process_resident_memory_bytes{job="varve"} > 1e6'
expect 'they are queried by PromQL' 0 'process_resident_memory_bytes'
curl -gsf "$URL/prometheus/api/v1/metadata?metric=varve_net_connections_total" >out 2>err
code=$?
expect 'they have types and help texts' 0 '"type":"counter","help":"Accepted connections."'
expect_that 'the server ends' stop_server

start_server --tenants
expect_that 'with tenants they belong to the tenant varve' wait_for_up -H 'X-Scope-OrgID: varve'
ask up -H 'X-Scope-OrgID: other'
expect 'another tenant has none of them' 0 '"result":\[\]'
stop_server

rm -rf data
SELF_METRICS=off
start_server
sleep 2
ask '{__name__=~".+"}'
expect 'without self metrics nothing is stored' 0 '"result":\[\]'
stop_server
finish
