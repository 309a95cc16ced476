#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# Attacks that cost their sender little and want the server to hold much: headers that do not end, answers that nobody reads, small
# bodies that grow. With a limit of 64 MB resident memory stays below it, a good sender is served meanwhile, and the memory is given back.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
limit=64
back=32 # MB, of which 8 to 16 are the program's own
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

# under NAME [attack's options]: attack, and send numbered profiles until all are acknowledged
under() {
	attack=$1
	shift
	"$ATTACK" -s 2 -p "$SERVER" "$@" 127.0.0.1 "$PORT" >attack.json &
	attacker=$!
	rm -f acknowledged
	sent=0
	for _ in $(seq 5); do # with exit 3, when a connection of its own was closed, it wants to be run again, as clients do
		"$LOAD" -n 100 -c 4 -s 60 -u acknowledged 127.0.0.1 "$PORT" >good.json 2>err
		sent=$?
		[ $sent = 3 ] || break
	done
	wait $attacker
	echo "# $(cat attack.json) good: $(cat good.json)"
	peak=$(jq '(.peak_kib / 1024) | floor' attack.json)
	expect_that "$attack: a good sender is served" [ $sent = 0 ]
	expect_that "$attack: with all that it sends" [ "$(sort -u acknowledged | wc -l)" -eq 100 ]
	expect_memory "$attack: memory stays within the limit ($peak MB)" [ "$peak" -le $limit ]
	wait_until_given_back
	expect_memory "$attack: and is given back ($(resident) MB)" [ "$(resident)" -le $back ]
}

start_server --memory-limit ${limit}M
asset=$(curl -s "$URL/" | grep -o '/assets/[^"]*\.js' | while read -r path; do
	echo "$(curl -s "$URL$path" | wc -c) $path"
done | sort -n | tail -1 | cut -d' ' -f2)
under 'an asset on 3,000 streams with a window of 0' -c 12 -n 250 -a -u "$asset" streams
under 'metrics on 25,000 streams' -c 100 -n 250 -u /metrics streams
under 'metrics on 6,000 streams of 1,500 connections' -c 1500 -n 4 -u /metrics streams
under '4,500 headers of 60 KB that do not end' -c 4500 -b 60000 headers
under '4,500 of 3 KB' -c 4500 -b 3000 headers
under '2 KB of zstd that are too large' -c 100 -n 10 -b 60000000 -u /v1development/profiles bodies
under '200 bytes of zstd that are not' -c 200 -n 1 -b 6000000 -u /v1development/profiles bodies
under 'pipelines whose answers nobody reads' -c 500 -n 200 -a -u "$asset" pipeline
expect_that 'it ends when asked to' stop_server

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost -keyout key.pem -out cert.pem 2>err
start_server --memory-limit ${limit}M --tls-cert cert.pem --tls-key key.pem
"$ATTACK" -s 4 -p "$SERVER" -c 500 -t idle 127.0.0.1 "$PORT" >attack.json &
attacker=$!
: >codes # who is closed for another tries again, as clients do
for _ in $(seq 20); do curl -sk -m 60 --retry 3 --retry-delay 1 --retry-all-errors -o /dev/null -w '%{http_code}\n' "https://127.0.0.1:$PORT/ready" >>codes; done
wait $attacker
peak=$(jq '(.peak_kib / 1024) | floor' attack.json)
echo "# $(cat attack.json)"
expect_that '500 idle connections of TLS: others are served' [ "$(grep -c 200 codes)" -eq 20 ]
expect_memory "and memory stays within the limit ($peak MB)" [ "$peak" -le $limit ]
expect_that 'it ends when asked to' stop_server
finish
