#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simple clients of a running server: a gzipped pprof with headers instead of a query, and the
# /debug/pprof pages of the server itself, read by go tool pprof.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
trap 'kill "$SERVER" 2>/dev/null; rm -rf "$work"' EXIT

# post CODE FILE curl-options...: POST the file to /ingest; the response is in `out`
post() {
	wanted=$1
	file=$2
	shift 2
	code=$(curl -s -o out -w '%{http_code}' --data-binary "@$file" "$@" "$URL/ingest" 2>err)
	[ "$code" = "$wanted" ]
}
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
trace=0102030405060708090a0b0c0d0e0f10

start_server
printf 'main;work 30\nmain;idle 10\n' >one.folded
run convert one.folded -o one.pb.gz
expect 'a profile is converted to pprof' 0
gzip -c one.pb.gz >twice.pb.gz
set -- -H 'Content-Type: application/x-protobuf' -H 'Content-Encoding: gzip' -H 'X-Profile-Type: cpu' -H "X-Profile-Timestamp: $now"
expect_that 'pprof with headers and without a query is accepted' post 200 one.pb.gz "$@" -H "X-Trace-ID: $trace"
expect_that 'pprof compressed twice, with a service header, is accepted' post 200 twice.pb.gz "$@" -H 'X-Service-Name: shop'
run query top unknown_service --trace $trace --url "$URL"
expect 'the profile is found by its trace' 0 'work' ' 30 '
run query top unknown_service --trace 0102030405060708090a0b0c0d0e0f11 --url "$URL"
expect 'the profile is not found by another trace' 0 ', 0 samples'
run query top shop --url "$URL"
expect 'the profile has the service of the header' 0 'work'
run query types shop --url "$URL"
expect 'the profile has the type of the header' 0 '^process_cpu:'
expect_that 'an invalid time is refused' post 400 one.pb.gz -H 'X-Profile-Timestamp: soon'
expect_that 'the error describes the time' grep -q 'X-Profile-Timestamp: expected RFC 3339' out
expect_that 'bytes of an unknown format are refused' post 422 /bin/sh
expect_that 'the error describes the format' grep -q 'not a profile of a known format' out
# page CODE PATH curl-options...: GET a page below /debug/pprof; the body is in `out`
page() {
	wanted=$1
	path=$2
	shift 2
	code=$(curl -s -o out -w '%{http_code}' "$@" "$URL/debug/pprof$path" 2>err)
	[ "$code" = "$wanted" ]
}
expect_that '/debug/pprof is unavailable if the server does not profile itself' page 503 /heap
expect_that 'the error gives the reason' grep -q -e '--no-self-profile' out
expect_that 'the server ends on SIGTERM' stop_server

printf '0123456789abcdef-all\n' >tokens
SELF_PROFILE=on
start_server --token-file tokens
if grep -q 'does not profile itself' server.log; then
	skip 'profiles of the server' "$(sed -n 's/.*does not profile itself" //p' server.log)"
else
	expect_that '/debug/pprof needs a token' page 401 /
	set -- -H 'Authorization: Bearer 0123456789abcdef-all'
	expect_that 'the list of profiles is returned' page 200 / "$@"
	expect_that 'the list has the stacks of threads' grep -q goroutine out
	expect_that 'the command line is returned' page 200 /cmdline "$@"
	expect_that 'the command line is that of the server' grep -aq server out
	expect_that 'an unknown profile is not found' page 404 /nothing "$@"
	expect_that 'a bad parameter is refused' page 400 '/heap?seconds=x' "$@"
	expect_that 'stacks are returned as text' page 200 '/goroutine?debug=2' "$@"
	expect_that 'a CPU profile of a second is returned' page 200 '/profile?seconds=1' "$@"
	cp out cpu.pb.gz
	run check cpu.pb.gz
	expect 'the CPU profile is valid' 0 'pprof: valid'
	expect_that 'threads are returned as a profile' page 200 /goroutine "$@"
	cp out threads.pb.gz
	if command -v go >/dev/null && go tool pprof -top threads.pb.gz >out 2>err; then
		expect_that 'go tool pprof reads it' grep -q 'thread_main\|poll\|wait' out
	else
		skip 'go tool pprof reads it' 'no go tool pprof'
	fi
fi
expect_that 'the server ends on SIGTERM' stop_server
finish
