#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Malformed requests of every kind: the right 4xx status, a reason in the client's format, and a
# connection that can be reused if the protocol allows it. tests/net tests the same with timeouts.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
start_server
push=/push.v1.PusherService/Push
printf 'main;a 1\n' >good.folded
printf 'not a profile' >bad
head -c 3000 /dev/urandom >noise
printf '{"resourceProfiles": 5}' >bad.json
printf '{"resourceProfiles": [' >cut.json
gzip -c good.folded >good.gz
head -c 20 good.gz >cut.gz
head -c 20000000 /dev/zero | gzip -9 >zeros.gz

# says NAME STATUS TEXT PATH curl-options...: check status and text of the response, and that a valid
# request on the same connection succeeds
says() {
	name=$1 wanted=$2 text=$3 path=$4
	shift 4
	curl -s -m 20 -o out -w '%{http_code}\n' "$@" "$URL$path" --next -s -m 20 -o after -w '%{http_code} %{num_connects}\n' "$URL/ready" >codes 2>err
	code=0
	got=$(head -1 codes)
	if ! echo "$got" | grep -qxE "$wanted"; then
		report 'not ok' "$name (expected $wanted, got $got)"
	elif [ -n "$text" ] && ! grep -qiE -e "$text" out; then
		report 'not ok' "$name (the response does not contain: $text)"
	elif [ "$(tail -1 codes)" != '200 0' ]; then
		report 'not ok' "$name (the connection was not reused: $(tail -1 codes))"
	else
		report ok "$name"
	fi
}
json='Content-Type: application/json'
proto='Content-Type: application/proto'
x_protobuf='Content-Type: application/x-protobuf'

says 'push: noise instead of protobuf' 400 '"code":"invalid_argument"' $push -H "$proto" --data-binary @noise
says 'push: an invalid profile in a series' 400 '"code":"invalid_argument"' $push -H "$json" \
	-d '{"series":[{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"service_name","value":"a"}],"samples":[{"rawProfile":"bm90IGEgcHJvZmlsZQ=="}]}]}'
says 'push: truncated JSON' 400 '"code":"invalid_argument"' $push -H "$json" -d '{"series": ['
says 'push: JSON of the wrong shape' 400 '"code":"invalid_argument"' $push -H "$json" -d '{"series": 5}'
says 'push: an unknown content type' 415 '' $push -H 'Content-Type: text/plain' -d x
says 'push: GET' 405 '' $push
# /ingest responds with 422 to bad bodies, like Pyroscope
says 'ingest: not a profile' 422 'pprof: at byte' '/ingest?name=a&format=pprof' --data-binary @bad
says 'ingest: an empty name' 400 'name' '/ingest?name=' --data-binary @good.folded
says 'ingest: a truncated form' 422 'multipart: at byte' '/ingest?name=a' -H 'Content-Type: multipart/form-data; boundary=b' --data-binary '--b'
says 'ingest: a form without a boundary' 422 '' '/ingest?name=a' -H 'Content-Type: multipart/form-data' --data-binary 'x'
says 'otlp: noise' 400 '' /v1development/profiles -H "$x_protobuf" --data-binary @noise
says 'otlp: JSON of the wrong shape' 400 'resourceProfiles|expected' /v1development/profiles -H "$json" --data-binary @bad.json
says 'otlp: truncated JSON' 400 '' /v1development/profiles -H "$json" --data-binary @cut.json
says 'a truncated gzip' 422 'gzip: at byte' '/ingest?name=a' -H 'Content-Encoding: gzip' --data-binary @cut.gz
says 'a truncated gzip in a call' 400 'gzip' $push -H "$proto" -H 'Content-Encoding: gzip' --data-binary @cut.gz
says 'an unknown content coding' 415 'Content-Encoding' $push -H "$proto" -H 'Content-Encoding: br' --data-binary @good.gz
says 'a decompression bomb' '4[01][03]' '' $push -H "$proto" -H 'Content-Encoding: gzip' --data-binary @zeros.gz
says 'an unknown call' 404 '' /querier.v1.QuerierService/Nothing -H "$json" -d '{}'
says 'an unknown path' 404 '' /api/v1/nothing
says 'an invalid parameter' 400 '"error"' '/api/v1/top?from=yesterday'
says 'an invalid escape' 400 '' '/api/v1/top?query=%zz'
for path in /../etc/passwd /api/v1/../../ready /%2e%2e/ready '/api/%00/top' '/api//v1/top' '/api/v1/top%2f..%2fstatus'; do
	says "a path trick: $path" '40[04]' '' "$path" --path-as-is
done

finds() { # name regex in `out`
	if grep -aqE -e "$2" out; then report ok "$1"; else report 'not ok' "$1"; fi
}
# send raw bytes
raw() { curl -s -m "${1:-3}" "telnet://127.0.0.1:$PORT" >out 2>/dev/null; }
code=0
printf 'GET /ready HTTP/1.1\r\n\r\n' | raw 1
finds 'a request without Host' 'HTTP/1.1 400'
printf 'GET /ready HTTP/9.9\r\nHost: localhost\r\n\r\n' | raw 1
finds 'an unknown HTTP version' 'HTTP/1.[01] (400|505)'
printf '\000\001\002 nonsense \r\n\r\n' | raw 1
finds 'bytes that are not HTTP' 'HTTP/1.1 400'
printf 'POST /ingest?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello' | raw 1
finds 'two different lengths' 'HTTP/1.1 400'
printf 'POST /ingest?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n' | raw 1
finds 'a length and chunks' 'HTTP/1.1 400'
printf 'POST /ingest?name=a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n' | raw 1
finds 'a chunk with an invalid length' 'HTTP/1.1 400'
printf 'POST /ingest?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n' | raw 1
finds 'a negative length' 'HTTP/1.1 400'
printf 'POST /ingest?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n' | raw 1
finds 'a length over the limit is refused before the body' 'HTTP/1.1 413'
{
	printf 'GET /ready HTTP/1.1\r\nHost: localhost\r\nX-Large: '
	head -c 300000 /dev/zero | tr '\0' a
	printf '\r\n\r\n'
} | raw 1
finds 'huge headers' 'HTTP/1.1 431'
{
	printf 'GET /'
	head -c 300000 /dev/zero | tr '\0' a
	printf ' HTTP/1.1\r\nHost: localhost\r\n\r\n'
} | raw 1
finds 'a huge path' 'HTTP/1.1 4(14|31)'

# HTTP/2 floods end their own connection, not the server
preface() { printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\000\000\000\004\000\000\000\000\000'; }
flood() { # name, frame in octal
	{
		preface
		yes "$2" | head -20000 | while read -r frame; do printf '%b' "$frame"; done
	} 2>/dev/null | raw 5
	expect_that "$1: the server still responds" curl -s -f -m 5 -o /dev/null "$URL/ready"
}
flood 'pings' '\000\000\010\006\000\000\000\000\00012345678'
flood 'settings' '\000\000\000\004\000\000\000\000\000'
flood 'resets of streams that were never opened' '\000\000\004\003\000\000\000\000\001\000\000\000\010'
flood 'empty continuations' '\000\000\000\011\000\000\000\000\001'
{
	preface
	head -c 200000 /dev/urandom
} | raw 2
expect_that 'noise after the preface: the server still responds' curl -s -f -m 5 -o /dev/null "$URL/ready"

# a client that sends one byte per second does not occupy a thread
(
	printf 'POST /ingest?name=slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n'
	while sleep 1; do printf a; done
) 2>/dev/null | raw 6 &
slow=$!
sleep 1
says 'other clients are served while a slow one sends' 422 '' '/ingest?name=a&format=pprof' --data-binary @bad
wait $slow

is=$(curl -s -o out -w '%{http_code}' --data-binary @good.folded "$URL/ingest?name=good")
expect_that 'a valid profile is accepted afterwards' [ "$is" = 200 ]
expect_that 'the server ends on SIGTERM' stop_server

# a body that can never be accepted gets a final status, even with little memory
head -c 16M /dev/zero | gzip -9 >member.gz
for _ in $(seq 64); do cat member.gz; done >bomb.gz
limits='64M 1G'
if [ "$(nm -C "$VARVE" 2>/dev/null | grep -c '__asan_init\|__tsan_init')" != 0 ]; then
	skip 'with 64M' 'sanitizers need memory, and the limiter refuses first'
	limits=1G
fi
for limit in $limits; do
	start_server --memory-limit $limit
	says "a GiB in a MB, with $limit: ingest" 413 'expands to more than' '/ingest?name=a' -H 'Content-Encoding: gzip' --data-binary @bomb.gz
	says "a GiB in a MB, with $limit: a file in a form" 413 'expands to more than' '/ingest?name=a' -F profile=@bomb.gz
	says "a GiB in a MB, with $limit: otlp" 413 'expands to more than' /v1development/profiles -H "$x_protobuf" -H 'Content-Encoding: gzip' --data-binary @bomb.gz
	says "a GiB in a MB, with $limit: push" 413 'expands to more than' $push -H "$proto" -H 'Content-Encoding: gzip' --data-binary @bomb.gz
	says "a GiB in a MB, with $limit: upload" 413 'expands to more than' '/api/v1/upload?service=a' -H 'Content-Encoding: gzip' --data-binary @bomb.gz
	stop_server
done
# so does a body whose decoding needs more memory than available
if [ "$limits" != 1G ]; then
	start_server --memory-limit 64M
	awk 'BEGIN { for (i = 0; i < 110000; i++) printf "main;a_function_with_a_rather_long_name_%d 1\n", i }' >large.folded
	says 'more than fits in the memory for decoding' 413 'more memory than decoding has|expands to more' '/ingest?name=a' --data-binary @large.folded
	stop_server
fi
expect_not 'there are no sanitizer findings' grep -q 'Sanitizer' server.log
finish
