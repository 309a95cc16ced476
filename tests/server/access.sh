#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# Who may come in: tokens, tenants, and addresses that other machines can reach. Nothing is read and nothing written otherwise.
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
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}

run server --data "$SCRATCH/data" --listen 0.0.0.0:0
expect 'beyond loopback without a token: refused, with what to do' 2 'reached from other machines.*--token-file.*--insecure'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --token-file nowhere
expect 'a token file that is not there' 2 'nowhere'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --token-file tokens
expect 'a token for a tenant where there are none' 2 'tokens:1: the token is for a tenant.*--tenants'
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --memory-limit 20M
expect 'too little memory is told at the start' 2 'memory-limit.*at least 48'

ingest='/ingest?name=app%7B%7D&spyName=x'
start_server --token-file tokens --tenants
is '/ready needs no token' 200 "$(status /ready)"
is 'the page, which has nobody'\''s data in it, neither' 200 "$(status /profiles --compressed)"
is 'what it asks for does' 401 "$(status /api/v1/services -D headers)"
expect_that 'and a browser asks its user for it' grep -qi 'www-authenticate:.*Basic' headers
is 'no token' 401 "$(status "$ingest" --data-binary @a.folded)"
is 'a wrong token' 401 "$(status "$ingest" -H 'Authorization: Bearer 0123456789abcdef-none' --data-binary @a.folded)"
is 'no tenant' 401 "$(status "$ingest" -H "Authorization: Bearer $all" --data-binary @a.folded)"
is 'a tenant that is not the token'\''s' 403 "$(status "$ingest" -H "Authorization: Bearer $blue" -H 'X-Scope-OrgID: red' --data-binary @a.folded)"
is 'a bad name of a tenant' 400 "$(status "$ingest" -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: a/b' --data-binary @a.folded)"
is 'the right token, its own tenant' 200 "$(status "$ingest" -H "Authorization: Bearer $blue" --data-binary @a.folded)"
is 'another token, as a password, another tenant' 200 "$(status "$ingest" -u "me:$all" -H 'X-Scope-OrgID: red' --data-binary @a.folded)"

types() { status /querier.v1.QuerierService/ProfileTypes -H 'Content-Type: application/json' -d '{}' "$@"; }
is 'questions need a token too' 401 "$(types)"
is 'and a tenant' 401 "$(types -H "Authorization: Bearer $all")"
is 'one tenant sees its own' 200 "$(types -H "Authorization: Bearer $blue")"
expect_that 'namely this' grep -q process_cpu out
is 'a tenant without data' 200 "$(types -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: green')"
expect_not 'sees nothing' grep -q process_cpu out
run query types --url "$URL"
expect 'a command without a token is told what to give' 2 '401.; --token-file and --tenant tell who asks'
is 'metrics need a token' 401 "$(status /metrics)"

# each tenant sees its own numbers; a token for all, without a tenant, sees all of them
printf 'main;a 1\n' | curl -s -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: red' --data-binary @- "$URL/ingest?name=more%7B%7D&spyName=x"
for path in /api/v1/stats /api/v1/status; do
	is "$path of one tenant" 200 "$(status $path -H "Authorization: Bearer $blue")"
	expect_that 'has its profiles' grep -q '"profiles":1,"samples":2,"series":1,' out
	expect_not 'and not how the machine does' grep -q '"memory"\|"network"\|"listen"' out
	is "$path of the other" 200 "$(status $path -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: red')"
	expect_that 'has the others' grep -q '"profiles":2,"samples":3,"series":2,' out
	is "$path of a tenant without data" 200 "$(status $path -H "Authorization: Bearer $all" -H 'X-Scope-OrgID: green')"
	expect_that 'is empty' grep -q '"profiles":0,"samples":0,"series":0,"oldest":0,"newest":0,' out
	is "$path of all" 200 "$(status $path -H "Authorization: Bearer $all")"
	expect_that 'has all' grep -q '"profiles":3,"samples":5,"series":3,' out
	is "$path of a wrong tenant" 403 "$(status $path -H "Authorization: Bearer $blue" -H 'X-Scope-OrgID: red')"
done
expect_that 'an operator sees the machine' test "$(status /api/v1/status -H "Authorization: Bearer $all")" = 200
expect_that 'memory and network' grep -q '"memory":.*"network":' out
status /api/v1/status -H "Authorization: Bearer $blue" >/dev/null
expect_that 'what came in is counted by tenant' grep -q '"protocol":"ingest","requests":1,"profiles":1,"samples":2,' out
status /metrics -H "Authorization: Bearer $blue" >/dev/null
expect_that 'metrics of one tenant' grep -q '^varve_store_profiles 1$' out
expect_that 'what it sent' grep -q '^varve_tenant_profiles_total{protocol="ingest"} 1$' out
expect_not 'and nothing of the server' grep -q '^varve_net\|^process_\|^varve_api\|^varve_receiver\|^varve_query' out
is 'metrics of all' 200 "$(status /metrics -H "Authorization: Bearer $all")"
expect_that 'have all' grep -q '^varve_store_profiles 3$' out
expect_that 'and the server' grep -q '^varve_net_connections ' out

echo 0123456789abcdef-new >tokens
kill -HUP "$SERVER"
sleep 0.5
is 'after SIGHUP the new tokens count' 401 "$(types -H "Authorization: Bearer $blue")"
is 'and only they' 200 "$(types -H 'Authorization: Bearer 0123456789abcdef-new' -H 'X-Scope-OrgID: blue')"
expect_not 'no token is in the log' grep -q 0123456789abcdef server.log
expect_that 'it ends when asked to' stop_server
finish
