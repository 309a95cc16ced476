#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of tenants, tokens and addresses: which one a refusal names, with which status, and that nothing of it is kept.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf '%s\n' 0123456789abcdef-blue\ blue 0123456789abcdef-red\ red 0123456789abcdef-all >tokens
all='Authorization: Bearer 0123456789abcdef-all'
blue='Authorization: Bearer 0123456789abcdef-blue'
red='Authorization: Bearer 0123456789abcdef-red'

# send WHO SERVICE STACKS: the HTTP status; the body is in `out`, the headers are in `headers`
send() {
	printf '%s\n' "$3" | curl -s -o out -D headers -w '%{http_code}' -H "$1" --data-binary @- "$URL/ingest?name=$2%7B%7D&spyName=x"
}
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}
stat_of() { # WHO field
	curl -s -H "$1" "$URL/api/v1/stats" | sed -n "s/.*\"$2\":\\([0-9]*\\).*/\\1/p"
}
refused() { # limit: how often /metrics says it refused
	curl -s -H "$all" "$URL/metrics" | sed -n "s/^varve_limit_refused_total{limit=\"$1\"} //p"
}

start_server --token-file tokens --tenants --set service.limits.tenant.series_per_day=3 --set service.limits.tenant.names_per_day=6
is 'the first series' 200 "$(send "$blue" a 'main;x 1')"
is 'the second' 200 "$(send "$blue" b 'main;x 1')"
is 'the third' 200 "$(send "$blue" c 'main;x 1')"
is 'one more is refused for good' 422 "$(send "$blue" d 'main;x 1')"
expect_that 'by the limit of that name and value' grep -q 'service.limits.tenant.series_per_day (3) is reached' out
expect_not 'nothing says try again' grep -qi '^retry-after' headers
is 'those that are known go on' 200 "$(send "$blue" a 'main;x 2')"
is 'another tenant has its own' 200 "$(send "$red" d 'main;x 1')"
is 'of the refused one nothing is kept' 3 "$(stat_of "$blue" series)"
is 'it is counted' 1 "$(refused tenant.series_per_day)"
is 'names that are new' 200 "$(send "$red" d 'main;y;z 1')"
is 'more names than may be' 422 "$(send "$red" d 'main;p;q;r;s;t;u;v;w 1')"
expect_that 'say which limit' grep -q 'service.limits.tenant.names_per_day (6) is reached' out
is 'and are counted' 1 "$(refused tenant.names_per_day)"
is 'names that are known go on' 200 "$(send "$red" d 'main;z;y 1')"
is 'of the refused ones nothing is kept' 3 "$(stat_of "$red" profiles)"
is 'some of them are still new' 422 "$(send "$red" d 'p;q;r;s;t;u;v 1')"
is 'by upload, too' 412 "$(printf 'main;x 1\n' | curl -s -o out -w '%{http_code}' -H "$blue" --data-binary @- "$URL/api/v1/upload?service=e")"
expect_that 'with the limit' grep -q 'series_per_day (3)' out
# many at once do not pass together what one may not
rm -rf codes
mkdir codes
senders=''
for i in 1 2 3 4 5 6 7 8; do
	printf 'main;x 1\n' | curl -s -o /dev/null -w '%{http_code}\n' -H "$all" -H 'X-Scope-OrgID: green' --data-binary @- "$URL/ingest?name=s$i%7B%7D&spyName=x" >codes/$i &
	senders="$senders $!"
done
# shellcheck disable=SC2086
wait $senders
is 'senders at the same time' 3 "$(cat codes/* | grep -c 200)"
is 'the others were refused' 5 "$(cat codes/* | grep -c 422)"
expect_that 'it ends' stop_server

start_server --token-file tokens --tenants --set service.limits.token.bytes_per_second=1 --set service.limits.tenant.profiles_per_second=1
is 'below the rate' 200 "$(send "$blue" a 'main;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 1')"
is 'over it' 429 "$(send "$blue" a 'main;x 1')"
expect_that 'until later' grep -qi '^retry-after: [0-9]' headers
expect_that 'with the limit and its value' grep -q 'service.limits.token.bytes_per_second (1) is reached' out
is 'it is counted, too' 1 "$(refused token.bytes_per_second)"
is 'another token may' 200 "$(send "$red" a 'main;x 1')"
i=0
code=200
while [ "$code" = 200 ] && [ $i -lt 100 ]; do
	code=$(curl -s -o out -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef-red" -X POST "$URL/push.v1.PusherService/Push" \
		-H 'Content-Type: application/json' -d '{}')
	i=$((i + 1))
	[ "$code" = 400 ] && code=200
done
is 'remote calls as well' 429 "$code"
is 'questions are not limited' 200 "$(curl -s -o out -w '%{http_code}' -H "$blue" "$URL/api/v1/services")"
stop_server

start_server --set service.limits.connections_per_address=2
# two that never end their body; they may find no room themselves, next to connections that have not ended yet
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
is 'connections from one address' 429 "$code"
expect_that 'name the limit' grep -q 'connections_per_address (2)' out
is 'when they are gone there is room' 200 "$(curl -s -o out -w '%{http_code}' --retry 20 --retry-delay 1 "$URL/ready")"
expect_that 'the refusals are counted' test "$(curl -s "$URL/metrics" | sed -n 's/^varve_net_refused_total{reason="connections_per_address"} //p')" -gt 0
stop_server

run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --set service.limits.tenant.series=3
expect 'a limit that there is not' 2 'unknown.*series'
finish
