#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The server profiles itself: under load it soon has the service "varve", with functions of its own. --no-self-profile and the configuration
# turn that off, and what cannot be is told.
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
	expect_that 'and it ends when asked to' stop_server
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
expect 'with its CPU time' 0 'process_cpu'
if nm -D "$VARVE" | grep -q ' T malloc$'; then
	expect 'and its heap' 0 'inuse_space' 'alloc_space'
else
	skip 'and its heap' 'a sanitizer has the allocator'
fi
run query top varve --type cpu -n 200 --url "$URL"
expect 'by functions of its own, by name' 0 'sqlite|otlp|intake|store|profile_|pprof|writer'
expect_that 'from the thread on, which is where its stacks end' grep -q 'thread_main\|start_thread\|clone' out
expect_that 'it ends when asked to' stop_server
rm -rf data

start_server
load_server 2
expect_that 'it ends soon' stop_server
start_server --no-self-profile
expect_that 'and what it had seen by then is kept' has_service
expect_that 'it ends' stop_server
rm -rf data

# first_data true|false: what the pages ask before they leave the first steps
first_data() { curl -fs "$URL/api/v1/services?from=0" | grep -q "\"others\":$1"; }

start_server --no-self-profile
expect_that 'nothing of others is kept yet' first_data false
printf 'main;work 3\n' >work.folded
run push work.folded --service checkout --url "$URL"
expect 'a file is pushed' 0 '1 samples of 1 series kept'
curl -fs "$URL/api/v1/status" >out
expect_that 'varve push is a sender' grep -Eq '"senders":\[\{"peer":"[^"]*","agent":"varve[^"]*","protocol":"upload","services":\["checkout"\]' out
expect_that 'and that is data of others' first_data true
load_server 2
expect_that 'it ends' stop_server
start_server --no-self-profile
expect_not '--no-self-profile: there is no such service' has_service
expect_that 'it ends' stop_server
rm -rf data

start_server --set service.telemetry.profiles=false
load_server 2
expect_that 'it ends' stop_server
start_server --set service.telemetry.profiles=false
expect_not 'service.telemetry.profiles: false: there is no such service' has_service
expect_that 'it ends' stop_server
run server --data data --listen 127.0.0.1:0 --set service.telemetry.profiles=maybe
expect 'anything else than true and false is told' 2 'service.telemetry.profiles: expected true or false'
finish
