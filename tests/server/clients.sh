#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What simple clients send to a running server and ask of it: a gzip pprof and headers without a query, an old recording, a
# server that is profiled by go tool pprof.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
trap 'kill "$SERVER" 2>/dev/null; rm -rf "$work"' EXIT

# post CODE FILE curl-options...: POST the file to /ingest; the body of the answer is in `out`
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
expect 'a profile' 0
gzip -c one.pb.gz >twice.pb.gz
set -- -H 'Content-Type: application/x-protobuf' -H 'Content-Encoding: gzip' -H 'X-Profile-Type: cpu' -H "X-Profile-Timestamp: $now"
expect_that 'pprof and headers, no query' post 200 one.pb.gz "$@" -H "X-Trace-ID: $trace"
expect_that 'compressed twice, of a service' post 200 twice.pb.gz "$@" -H 'X-Service-Name: shop'
run query top unknown_service --trace $trace --url "$URL"
expect 'its trace finds it' 0 'work' ' 30 '
run query top unknown_service --trace 0102030405060708090a0b0c0d0e0f11 --url "$URL"
expect 'another one does not' 0 ', 0 samples'
run query top shop --url "$URL"
expect 'the service of the header' 0 'work'
run query types shop --url "$URL"
expect 'the type of the header' 0 '^process_cpu:'
expect_that 'a time that is none' post 400 one.pb.gz -H 'X-Profile-Timestamp: soon'
expect_that 'is told' grep -q 'X-Profile-Timestamp: expected RFC 3339' out
expect_that 'bytes that are nothing' post 422 /bin/sh
expect_that 'and that' grep -q 'not a profile of a known format' out
expect_that 'it ends' stop_server
finish
