#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# A function that costs more since a new version is reported by API, command and metrics, also after
# kill -9; to the tenant whose service it is.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# patiently COMMAND...: repeat until it succeeds, at most for two minutes
# shellcheck disable=SC2317 # called by expect_that
patiently() {
	tries=600
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.2
	done
}
# drift FILTER [PARAMETERS]: what jq finds in the events
drift() {
	curl -s ${TENANT:+-H "X-Scope-OrgID: $TENANT"} "$URL/api/v1/drift?${2:-}" | jq -r "$1"
}
# shellcheck disable=SC2317
has_regressions() { [ "$(drift .count kind=regression)" = "$1" ]; }
# shellcheck disable=SC2317
is_up_to_date() { curl -s "$URL/metrics" | grep -q '^varve_drift_behind 0' && curl -s "$URL/metrics" | grep -q '^varve_drift_slots_total [1-9]'; }
metric() { curl -s "$URL/metrics" | awk -v name="$1" 'index($0, name) == 1 { print $NF }'; }
fast='--set=service::drift::cpu_percent=100'

"$DRIFT_FILL" data '' shop 3 36 2>err
start_server "$fast"
export VARVE_URL="$URL"
expect_that 'the regression is found' patiently has_regressions 1
expect_that 'it has its kind, service and function' [ "$(drift '.events[0] | .kind + " " + .service + " " + .functions[0].name')" = 'regression shop work_2' ]
expect_that 'it has its size' [ "$(drift '.events[0].functions[0] | .ratio > 1.1 and .ratio < 1.3 and .low < .ratio and .high > .ratio')" = true ]
expect_that 'it has the versions' [ "$(drift '.events[0] | .versions_before + " " + .versions_after')" = '1.0 1.1' ]
expect_that 'it began with the version' [ "$(drift '(now - .events[0].since / 1000) / 3600 | . > 5 and . < 31')" = true ]
expect_that 'its page exists' [ "$(curl -s -o page -w '%{http_code}' "$URL$(drift '.events[0].page')")" = 200 ]
curl -s -o diff "$URL$(drift '.events[0].diff')"
expect_that 'the difference has the function' grep -q work_2 diff
expect_that 'other kinds do not have it' [ "$(drift .count 'kind=improvement&kind=new')" = 0 ]
expect_that 'other services do not have it' [ "$(drift .count 'service=other')" = 0 ]
expect_that 'other times do not have it' [ "$(drift .count 'to=now-2d')" = 0 ]
expect_that 'an unknown kind is an error' [ "$(drift .error.code 'kind=worse')" != null ]
run query drift shop --from now-7d
expect 'the command shows it' 0 'regression +shop +work_2 costs [12][0-9] % more'
run query drift --from now-7d --json
expect 'and as JSON' 0 '"name":"work_2"'
run query drift other --from now-7d
expect 'and nothing of other services' 0 '^no events$'
from=$(($(date +%s) - 172800))
expect_that 'it is an event of the service' [ "$(curl -s "$URL/api/v1/events?service=shop&from=$from" | jq -r '.events[].action')" = drift.regression ]
expect_that 'it is a metric' [ "$(metric 'varve_drift_active{service="shop",type="process_cpu:cpu:nanoseconds:cpu:nanoseconds",function="work_2",kind="regression"}' | cut -c1-2)" = 1. ]
expect_that 'the metrics count it' [ "$(metric 'varve_drift_events_total{kind="regression"}')" = 1 ]
expect_that 'all is read' patiently is_up_to_date
expect_that 'the status has the service' [ "$(curl -s "$URL/api/v1/status" | jq -r '.drift | [.enabled, .watching, .refused] | join(" ")')" = 'true 1 0' ]
# shellcheck disable=SC2317
is_queried() { "$VARVE" query promql --instant 'varve_drift_active{service="shop"} > 1.05' | grep -q work_2; }
expect_that 'PromQL has it within a minute' patiently is_queried
id=$(drift '.events[0].id')
stop_server KILL

start_server "$fast"
expect_that 'the event is there after kill -9' [ "$(drift '.events[0] | .functions[0].name')" = work_2 ]
expect_that 'all is read again' patiently is_up_to_date
expect_that 'and the event is still the same one' [ "$(drift '[.count, .events[0].id] | join(" ")')" = "1 $id" ]
stop_server
expect_that 'the file is in clear' grep -q work_2 data/drift.events

# ---- encrypted, with a rotation of the key
(umask 077 && openssl rand -hex 32 >keys)
export KEY_FILE="$work/keys"
start_server "$fast"
expect_that 'a file in clear is read by a server with keys' [ "$(drift '.events[0].id')" = "$id" ]
expect_that 'all is read with keys' patiently is_up_to_date
stop_server
expect_that 'then the file is encrypted' [ "$(grep -c work_2 data/drift.events)" = 0 ]
(umask 077 && { openssl rand -hex 32; cat keys; } >keys.next && mv keys.next keys)
run store rotate-key data --encrypt-key-file keys
expect 'the key is rotated' 0 .
sed -i 1q keys
start_server "$fast"
expect_that 'the file is read with the new key' [ "$(drift '.events[0].id')" = "$id" ]
stop_server
unset KEY_FILE
rm -rf data
start_server --no-drift
expect_that 'it can be switched off' [ "$(drift '[.enabled, .count] | join(" ")')" = 'false 0' ]
export VARVE_URL="$URL"
run query drift
expect 'the command says so' 0 'does not look for drift'
stop_server
start_server --set=service::drift::enabled=false
expect_that 'also by the configuration' [ "$(drift .enabled)" = false ]
stop_server

rm -rf data
"$DRIFT_FILL" data one shop 3 36 2>err
"$DRIFT_FILL" data two shop 3 0 2>err
start_server --tenants "$fast"
TENANT=one
expect_that 'a tenant sees its event' patiently has_regressions 1
expect_that 'all is read' patiently is_up_to_date
TENANT=two
expect_that 'another tenant does not' [ "$(drift .count)" = 0 ]
stop_server
finish
