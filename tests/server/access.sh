#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Authentication: tokens, tenants, and listening beyond loopback. Unauthorized requests read and
# write nothing.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded
printf '%s\n' 0123456789abcdef-blue\ blue 0123456789abcdef-all >tokens
blue=0123456789abcdef-blue
all=0123456789abcdef-all

# status URL-PATH curl-options...: the HTTP status; the body is in `out`
status() {
	path=$1
	shift
	curl -s -o out -w '%{http_code}' "$@" "$URL$path" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

run server --data "$SCRATCH/data" --listen 0.0.0.0:0
expect 'listening beyond loopback without a token is refused with advice' 2 'reached from other machines.*--token-file.*--insecure'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --token-file nowhere
expect 'a missing token file is an error' 2 'nowhere'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --token-file tokens
expect 'a token for a tenant needs --tenants' 2 'tokens:1: a token for a tenant requires --tenants'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --memory-limit 20M
expect 'too small a memory limit is refused at start' 2 'memory-limit.*at least 48'

ingest='/ingest?name=app%7B%7D&spyName=x'
start_server --token-file tokens --tenants
is '/ready needs no token' 200 "$(status /ready)"
is 'the page itself needs no token' 200 "$(status /profiles --compressed)"
is 'API requests of the page need a token' 401 "$(status /api/v1/services -D headers)"
expect_that 'the response makes a browser ask for a password' grep -qi 'www-authenticate:.*Basic' headers
is 'a write without a token is refused' 401 "$(status "$ingest" --data-binary @a.folded)"
is 'a wrong token is refused' 401 "$(status "$ingest" -H 'Authorization: Bearer 0123456789abcdef-none' --data-binary @a.folded)"
is 'a write without a tenant is refused' 401 "$(status "$ingest" -H "Authorization: Bearer $all" --data-binary @a.folded)"
is 'a tenant other than that of the token is refused' 403 "$(status "$ingest" -H "Authorization: Bearer $blue" -H 'X-Scope-OrgID: red' --data-binary @a.folded)"
is 'an invalid tenant name is refused' 400 "$(status "$ingest" -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: a/b' --data-binary @a.folded)"
is 'a token of a tenant is accepted' 200 "$(status "$ingest" -H "Authorization: Bearer $blue" --data-binary @a.folded)"
is 'a token for all tenants is accepted as password with another tenant' 200 "$(status "$ingest" -u "me:$all" -H 'X-Scope-OrgID: red' --data-binary @a.folded)"

types() { status /querier.v1.QuerierService/ProfileTypes -H 'Content-Type: application/json' -d '{}' "$@"; }
is 'queries need a token' 401 "$(types)"
is 'queries need a tenant' 401 "$(types -H "Authorization: Bearer $all")"
is 'a tenant can query its data' 200 "$(types -H "Authorization: Bearer $blue")"
expect_that 'the response has the types of the tenant' grep -q process_cpu out
is 'a tenant without data can query' 200 "$(types -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: green')"
expect_not 'the response has no types of other tenants' grep -q process_cpu out
run query types --url "$URL"
expect 'a command without a token reports what is missing' 2 '401.; authenticate with --token-file and --tenant'
is 'metrics need a token' 401 "$(status /metrics)"

# each tenant gets its own numbers; a token for all tenants gets the sums of all
printf 'main;a 1\n' | curl -s -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: red' --data-binary @- "$URL/ingest?name=more%7B%7D&spyName=x"
for path in /api/v1/stats /api/v1/status; do
	is "$path of one tenant" 200 "$(status $path -H "Authorization: Bearer $blue")"
	expect_that 'counts the profiles of the tenant' grep -q '"profiles":1,"samples":2,"series":1,' out
	expect_not 'has nothing about the machine' grep -q '"memory"\|"network"\|"listen"' out
	is "$path of the other tenant" 200 "$(status $path -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: red')"
	expect_that 'counts the profiles of the other tenant' grep -q '"profiles":2,"samples":3,"series":2,' out
	is "$path of a tenant without data" 200 "$(status $path -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: green')"
	expect_that 'counts nothing' grep -q '"profiles":0,"samples":0,"series":0,"oldest":0,"newest":0,' out
	is "$path of all tenants" 200 "$(status $path -H "Authorization: Bearer $all")"
	expect_that 'counts all profiles' grep -q '"profiles":3,"samples":5,"series":3,' out
	is "$path of a wrong tenant" 403 "$(status $path -H "Authorization: Bearer $blue" -H 'X-Scope-OrgID: red')"
done
expect_that 'a token for all tenants gets the status of the server' test "$(status /api/v1/status -H "Authorization: Bearer $all")" = 200
expect_that 'the status has memory and network' grep -q '"memory":.*"network":' out
status /api/v1/status -H "Authorization: Bearer $blue" >/dev/null
expect_that 'received data is counted by tenant' grep -q '"protocol":"ingest","requests":1,"profiles":1,"samples":2,' out
status /metrics -H "Authorization: Bearer $blue" >/dev/null
expect_that 'metrics of one tenant count its stored profiles' grep -q '^varve_store_profiles 1$' out
expect_that 'metrics of one tenant count what it sent' grep -q '^varve_tenant_profiles_total{protocol="ingest"} 1$' out
expect_not 'metrics of one tenant have nothing about the server' grep -q '^varve_net\|^process_\|^varve_api\|^varve_receiver\|^varve_query' out
is 'metrics of all tenants' 200 "$(status /metrics -H "Authorization: Bearer $all")"
expect_that 'count all profiles' grep -q '^varve_store_profiles 3$' out
expect_that 'include the metrics of the server' grep -q '^varve_net_connections ' out

echo 0123456789abcdef-new >tokens
kill -HUP "$SERVER"
sleep 0.5
is 'after SIGHUP removed tokens are refused' 401 "$(types -H "Authorization: Bearer $blue")"
is 'after SIGHUP new tokens are accepted' 200 "$(types -H 'Authorization: Bearer 0123456789abcdef-new' -H 'X-Scope-OrgID: blue')"
expect_not 'the log contains no token' grep -q 0123456789abcdef server.log
expect_that 'the server ends on SIGTERM' stop_server
finish
