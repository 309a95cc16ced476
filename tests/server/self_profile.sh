#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The server profiles itself: under load the service "varve" appears, with functions of the server.
# --no-self-profile and the configuration turn that off.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
SELF_PROFILE=on
trap 'kill "$SERVER" 2>/dev/null; rm -rf "$work"' EXIT

# load_server SECONDS
load_server() { "$LOAD" -k push -c 4 -s "$1" 127.0.0.1 "$PORT" >load.json; }
has_service() { run query services --url "$URL" && grep -qx 'varve\( .*\)\?' out; }

start_server
if grep -q 'does not profile itself' server.log; then
	skip 'under load the server has profiles of itself' "$(sed -n 's/.*does not profile itself" //p' server.log)"
	expect_that 'the server ends on SIGTERM' stop_server
	finish
fi
seen=no
for _ in 1 2 3 4 5 6 7 8; do # a minute at most
	load_server 7
	if has_service; then
		seen=yes
		break
	fi
done
expect_that 'under load the server soon has the service "varve"' [ $seen = yes ]
run query types varve --url "$URL"
expect 'the service has CPU time' 0 'process_cpu'
if nm -D "$VARVE" | grep -q ' T malloc$'; then
	expect 'the service has heap profiles' 0 'inuse_space' 'alloc_space'
else
	skip 'the service has heap profiles' 'a sanitizer replaces the allocator'
fi
run query top varve --type cpu -n 200 --url "$URL"
expect 'the functions of the server have names' 0 'sqlite|otlp|intake|store|profile_|pprof|writer'
expect_that 'its stacks begin at the start of the thread' grep -q 'thread_main\|start_thread\|clone' out
expect_that 'the server ends on SIGTERM' stop_server
rm -rf data

start_server
load_server 2
expect_that 'the server ends on SIGTERM' stop_server
start_server --no-self-profile
expect_that 'profiles from before a quick end are stored' has_service
expect_that 'the server ends on SIGTERM' stop_server
rm -rf data

# first_data true|false: the query with which the pages detect the first data of other services
first_data() { curl -fs "$URL/api/v1/services?from=0" | grep -q "\"others\":$1"; }

start_server --no-self-profile
expect_that 'no data of other services is stored yet' first_data false
printf 'main;work 3\n' >work.folded
run push work.folded --service checkout --url "$URL"
expect 'a file is pushed' 0 'stored 1 samples of 1 series'
curl -fs "$URL/api/v1/status" >out
expect_that 'varve push is listed as a sender' grep -Eq '"senders":\[\{"peer":"[^"]*","agent":"varve[^"]*","protocol":"upload","services":\["checkout"\]' out
expect_that 'the pushed file counts as data of other services' first_data true
load_server 2
expect_that 'the server ends on SIGTERM' stop_server
start_server --no-self-profile
expect_not '--no-self-profile: the service does not exist' has_service
expect_that 'the server ends on SIGTERM' stop_server
rm -rf data

start_server --set service.telemetry.profiles=false
load_server 2
expect_that 'the server ends on SIGTERM' stop_server
start_server --set service.telemetry.profiles=false
expect_not 'service.telemetry.profiles=false: the service does not exist' has_service
expect_that 'the server ends on SIGTERM' stop_server
run server --data data --listen 127.0.0.1:0 --set service.telemetry.profiles=maybe
expect 'service.telemetry.profiles must be true or false' 2 '"profiles" has to be true or false, found "maybe"'
finish
