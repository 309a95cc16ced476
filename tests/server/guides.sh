#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Configurations of guides that people copy run unchanged; only certificates are supplied. They listen on the
# standard ports, so each runs in a network namespace of its own.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
fixtures=$SOURCE_ROOT/../shared/fixtures/collector
number_of_guides=0

is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

# In the namespace: run a guide, send a span and a profile, and print what happened.
if [ "${1:-}" = inside ]; then
	guide=$2
	ip link set lo up
	shift 2
	METRICS=1 start_collector --config "$guide" --allow-unset "$@" || exit 1
	echo ready
	span='{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a"}]}]}]}'
	curl -s -m 20 -o /dev/null -w 'traces %{http_code}\n' -H 'content-type: application/json' -d "$span" http://127.0.0.1:4318/v1/traces
	profiles=4318
	grep -q 4327 "$guide" && profiles=4327
	curl -s -m 20 -o /dev/null -w 'profiles %{http_code}\n' -H 'content-type: application/json' -d '{}' \
		"http://127.0.0.1:$profiles/v1development/profiles"
	grep -q health_check "$guide" && curl -s -m 20 -o /dev/null -w 'health %{http_code}\n' http://127.0.0.1:13133/
	curl -s -m 20 http://127.0.0.1:8888/metrics | grep -q '^otelcol_process_uptime ' && echo metrics
	kill -TERM "$COLLECTOR"
	sleep 0.7
	kill -TERM "$COLLECTOR" 2>/dev/null # the destinations do not exist: do not wait for them
	wait "$COLLECTOR" 2>/dev/null
	exit 0
fi

if ! unshare -n true 2>/dev/null || ! command -v ip >/dev/null; then
	echo '1..0 # SKIP network namespaces need root, unshare and ip'
	exit 0
fi
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=collector -days 2 -keyout key.pem -out cert.pem 2>/dev/null

for guide in "$fixtures"/guide-*.yaml; do
	[ -e "$guide" ] || continue
	number_of_guides=$((number_of_guides + 1))
	name=$(basename "$guide")
	set --
	if grep -q cert_file "$guide"; then
		set -- --set "exporters::otlp::tls::cert_file=$work/cert.pem" --set "exporters::otlp::tls::key_file=$work/key.pem"
	fi
	unshare -n sh "$0" inside "$guide" "$@" >seen 2>&1
	is "$name runs" ready "$(grep -x ready seen)"
	is "$name has its metrics at the usual place" metrics "$(grep -x metrics seen)"
	if grep -q '^ *traces:' "$guide"; then is "$name accepts spans" 'traces 200' "$(grep traces seen)"; fi
	if grep -q '^ *profiles:' "$guide"; then is "$name accepts profiles" 'profiles 200' "$(grep profiles seen)"; fi
	if grep -q health_check "$guide"; then is "$name is healthy" 'health 200' "$(grep health seen)"; fi
done
if [ $number_of_guides -eq 0 ]; then
	echo '1..0 # SKIP the files of the guides are not there'
	exit 0
fi
finish
