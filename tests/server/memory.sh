#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Attacks that are cheap for the client and make the server allocate much: endless headers, unread
# responses, decompression bombs. Resident memory stays below the limit of 64 MB, a regular client is
# served meanwhile, and the memory is freed afterwards.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
limit=64
back=32 # MB after an attack, 8 to 16 of them for the program itself
: >out
: >err
sanitized=$(nm -C "$VARVE" 2>/dev/null | grep -c '__asan_init\|__tsan_init')

resident() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }

expect_memory() {
	case $sanitized in
	0) expect_that "$@" ;;
	*) skip "$1" 'sanitizers take memory of their own' ;;
	esac
}

wait_until_given_back() {
	tries=300
	while [ "$(resident)" -gt $back ] && [ $tries -gt 0 ]; do
		sleep 0.1
		tries=$((tries - 1))
	done
}

# under NAME [attack's options]: attack while sending numbered profiles until all are acknowledged
under() {
	attack=$1
	shift
	"$ATTACK" -s 2 -p "$SERVER" "$@" 127.0.0.1 "$PORT" >attack.json &
	attacker=$!
	rm -f acknowledged
	sent=0
	for _ in $(seq 5); do # exit 3 means that a connection was closed; retry, as clients do
		"$LOAD" -n 100 -c 4 -s 60 -u acknowledged 127.0.0.1 "$PORT" >good.json 2>err
		sent=$?
		[ $sent = 3 ] || break
	done
	wait $attacker
	echo "# $(cat attack.json) good: $(cat good.json)"
	peak=$(jq '(.peak_kib / 1024) | floor' attack.json)
	expect_that "$attack: a regular client is served" [ $sent = 0 ]
	expect_that "$attack: all of its profiles are acknowledged" [ "$(sort -u acknowledged | wc -l)" -eq 100 ]
	expect_memory "$attack: memory stays within the limit ($peak MB)" [ "$peak" -le $limit ]
	wait_until_given_back
	expect_memory "$attack: memory is freed ($(resident) MB)" [ "$(resident)" -le $back ]
}

start_server --memory-limit ${limit}M
asset=$(curl -s "$URL/" | grep -o '/assets/[^"]*\.js' | while read -r path; do
	echo "$(curl -s "$URL$path" | wc -c) $path"
done | sort -n | tail -1 | cut -d' ' -f2)
under 'an asset on 3,000 streams with a window of 0' -c 12 -n 250 -a -u "$asset" streams
under 'metrics on 25,000 streams' -c 100 -n 250 -u /metrics streams
under 'metrics on 6,000 streams of 1,500 connections' -c 1500 -n 4 -u /metrics streams
under '4,500 endless headers of 60 KB' -c 4500 -b 60000 headers
under '4,500 endless headers of 3 KB' -c 4500 -b 3000 headers
under '2 KB of zstd that exceed the limit' -c 100 -n 10 -b 60000000 -u /v1development/profiles bodies
under '200 bytes of zstd within the limit' -c 200 -n 1 -b 6000000 -u /v1development/profiles bodies
under 'pipelined requests with unread responses' -c 500 -n 200 -a -u "$asset" pipeline
expect_that 'the server ends on SIGTERM' stop_server

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost -keyout key.pem -out cert.pem 2>err
start_server --memory-limit ${limit}M --tls-cert cert.pem --tls-key key.pem
"$ATTACK" -s 4 -p "$SERVER" -c 500 -t idle 127.0.0.1 "$PORT" >attack.json &
attacker=$!
: >codes # clients whose connection is closed to make room retry
for _ in $(seq 20); do curl -sk -m 60 --retry 3 --retry-delay 1 --retry-all-errors -o /dev/null -w '%{http_code}\n' "https://127.0.0.1:$PORT/ready" >>codes; done
wait $attacker
peak=$(jq '(.peak_kib / 1024) | floor' attack.json)
echo "# $(cat attack.json)"
expect_that '500 idle TLS connections: other clients are served' [ "$(grep -c 200 codes)" -eq 20 ]
expect_memory "500 idle TLS connections: memory stays within the limit ($peak MB)" [ "$peak" -le $limit ]
expect_that 'the server ends on SIGTERM' stop_server
finish
