#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of tenants, tokens and addresses: a refusal names the limit, has the right status, and leaves
# no data.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf '%s\n' 0123456789abcdef-blue\ blue 0123456789abcdef-red\ red 0123456789abcdef-all >tokens
all='Authorization: Bearer 0123456789abcdef-all'
blue='Authorization: Bearer 0123456789abcdef-blue'
red='Authorization: Bearer 0123456789abcdef-red'

# send WHO SERVICE STACKS: print the HTTP status; the body is in `out`, the headers in `headers`
send() {
	printf '%s\n' "$3" | curl -s -o out -D headers -w '%{http_code}' -H "$1" --data-binary @- "$URL/ingest?name=$2%7B%7D&spyName=x"
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
stat_of() { # WHO field
	curl -s -H "$1" "$URL/api/v1/stats" | sed -n "s/.*\"$2\":\\([0-9]*\\).*/\\1/p"
}
refused() { # limit: print its number of refusals in /metrics
	curl -s -H "$all" "$URL/metrics" | sed -n "s/^varve_limit_refused_total{limit=\"$1\"} //p"
}

start_server --token-file tokens --tenants --set service.limits.tenant.series_per_day=3 --set service.limits.tenant.names_per_day=6
is 'the first series is accepted' 200 "$(send "$blue" a 'main;x 1')"
is 'the second series is accepted' 200 "$(send "$blue" b 'main;x 1')"
is 'the third series is accepted' 200 "$(send "$blue" c 'main;x 1')"
is 'the fourth series is refused for good' 422 "$(send "$blue" d 'main;x 1')"
expect_that 'the error has the name and value of the limit' grep -q 'service.limits.tenant.series_per_day (3) is reached' out
expect_not 'the refusal has no Retry-After' grep -qi '^retry-after' headers
is 'known series are still accepted' 200 "$(send "$blue" a 'main;x 2')"
is 'another tenant has its own limit' 200 "$(send "$red" d 'main;x 1')"
is 'nothing of the refused series is stored' 3 "$(stat_of "$blue" series)"
is 'the refusal is counted' 1 "$(refused tenant.series_per_day)"
is 'new names are accepted' 200 "$(send "$red" d 'main;y;z 1')"
is 'names beyond the limit are refused' 422 "$(send "$red" d 'main;p;q;r;s;t;u;v;w 1')"
expect_that 'the error names the limit of names' grep -q 'service.limits.tenant.names_per_day (6) is reached' out
is 'the refusal of names is counted' 1 "$(refused tenant.names_per_day)"
is 'known names are still accepted' 200 "$(send "$red" d 'main;z;y 1')"
is 'nothing of the refused names is stored' 3 "$(stat_of "$red" profiles)"
is 'refused names are still new' 422 "$(send "$red" d 'p;q;r;s;t;u;v 1')"
is 'the limit applies to uploads' 412 "$(printf 'main;x 1\n' | curl -s -o out -w '%{http_code}' -H "$blue" --data-binary @- "$URL/api/v1/upload?service=e")"
expect_that 'the error of an upload names the limit' grep -q 'series_per_day (3)' out
# concurrent writes cannot exceed the limit together
rm -rf codes
mkdir codes
senders=''
for i in 1 2 3 4 5 6 7 8; do
	printf 'main;x 1\n' | curl -s -o /dev/null -w '%{http_code}\n' -H "$all" -H 'X-Scope-OrgID: green' --data-binary @- "$URL/ingest?name=s$i%7B%7D&spyName=x" >codes/$i &
	senders="$senders $!"
done
# shellcheck disable=SC2086
wait $senders
is 'concurrent writes up to the limit are accepted' 3 "$(cat codes/* | grep -c 200)"
is 'the other concurrent writes are refused' 5 "$(cat codes/* | grep -c 422)"
expect_that 'the server ends on SIGTERM' stop_server

start_server --token-file tokens --tenants --set service.limits.token.bytes_per_second=1 --set service.limits.tenant.profiles_per_second=1
is 'a write below the rate is accepted' 200 "$(send "$blue" a 'main;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 1')"
is 'a write above the rate is refused' 429 "$(send "$blue" a 'main;x 1')"
expect_that 'the refusal has Retry-After' grep -qi '^retry-after: [0-9]' headers
expect_that 'the error has the name and value of the rate' grep -q 'service.limits.token.bytes_per_second (1) is reached' out
is 'the refusal by rate is counted' 1 "$(refused token.bytes_per_second)"
is 'another token has its own rate' 200 "$(send "$red" a 'main;x 1')"
i=0
code=200
while [ "$code" = 200 ] && [ $i -lt 100 ]; do
	code=$(curl -s -o out -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef-red" -X POST "$URL/push.v1.PusherService/Push" \
		-H 'Content-Type: application/json' -d '{}')
	i=$((i + 1))
	[ "$code" = 400 ] && code=200
done
is 'remote calls are limited' 429 "$code"
is 'queries are not limited' 200 "$(curl -s -o out -w '%{http_code}' -H "$blue" "$URL/api/v1/services")"
stop_server

start_server --set service.limits.connections_per_address=2
# two requests with endless bodies; they may be refused themselves while older connections end
mkfifo held
exec 9<>held
code=000
tries=60
while [ "$code" != 429 ] && [ $tries -gt 0 ]; do
	curl -s -X POST -T - "$URL/ingest?name=a" <held >/dev/null 9>&- &
	one=$!
	curl -s -X POST -T - "$URL/ingest?name=a" <held >/dev/null 9>&- &
	two=$!
	sleep 0.5
	code=$(curl -s -o out -w '%{http_code}' "$URL/ready")
	tries=$((tries - 1))
	kill $one $two 2>/dev/null
	wait $one $two
done
exec 9>&-
is 'a third connection from one address is refused' 429 "$code"
expect_that 'the refusal of a connection names the limit' grep -q 'connections_per_address (2)' out
is 'a connection is accepted after the others ended' 200 "$(curl -s -o out -w '%{http_code}' --retry 20 --retry-delay 1 "$URL/ready")"
expect_that 'refused connections are counted' test "$(curl -s "$URL/metrics" | sed -n 's/^varve_net_refused_total{reason="connections_per_address"} //p')" -gt 0
stop_server

run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --set service.limits.tenant.series=3
expect 'an unknown limit is an error' 2 'unknown.*series'
finish
