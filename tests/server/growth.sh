#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119,SC2317 # most calls pass no options; some functions are called by name
# Clients with extreme data: a stack of a million frames, half a million new names, a profile on each
# of 120 days. Other clients are not affected: their writes are stored and their queries succeed.
# Also many days with few file descriptors.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
now=$(date +%s)
: >err
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}

# send FILE SERVICE [TIME]: print the status
send() {
	time=${3-$now}
	# shellcheck disable=SC2086 # options
	curl -s -m 60 $retry -o out -w '%{http_code}\n' --data-binary "@$1" "$URL/ingest?name=$2&format=folded&from=$((time - 10))&until=$time"
}

retry=
# total SERVICE [RANGE]: print the total of its flame graph
total() {
	# shellcheck disable=SC2086 # options
	curl -s -m 60 $retry "$URL/api/v1/flame?query=$1&from=now-${2-1h}" | jq .total
}

# wait until an idle connection was closed to make room for another
wait_for_displaced() {
	tries=300
	until curl -s "$URL/metrics" | grep -q '^varve_net_connections_displaced_total [1-9]' || [ $tries -eq 0 ]; do
		sleep 0.1
		tries=$((tries - 1))
	done
}

# beside COMMAND...: run the command while a regular client writes and queries
beside() {
	: >codes
	: >totals
	"$@" >"$1.codes" &
	running=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sent=$((sent + 1))
		send small good >>codes
		[ "$(total good)" = "$((sent * 10))0000000" ] && echo right >>totals
		sleep 0.1
	done
	wait $running
}

awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "%sf%d", i ? ";" : "", i % 50000; print " 5" }' >deep
awk 'BEGIN { for (i = 0; i < 520000; i++) printf "main;quite_a_long_function_name_number_%d 1\n", i }' >names
printf 'main;work 7\nmain;rest 3\n' >small
sent=0
start_server --memory-limit 256M

send_deep() { send deep deep; }
beside send_deep
is 'a stack of a million frames is accepted' 200 "$(cat send_deep.codes)"
is 'meanwhile profiles of others are accepted' 10 "$(grep -c 200 codes)"
is 'meanwhile queries of others give exact results' 10 "$(wc -l <totals)"
is 'the innermost frames of the stack are kept' 50000000 "$(total deep)"
is 'a frame [cut] stands for the others' 1 "$(curl -s "$URL/api/v1/flame?query=deep&from=now-1h" | grep -c '\[cut\]')"

send_names() { send names names; }
beside send_names
is 'half a million new names exceed the memory limit' 413 "$(cat send_names.codes)"
is 'meanwhile profiles of others are stored' 10 "$(grep -c 200 codes)"
is 'meanwhile queries of others are answered' 10 "$(wc -l <totals)"

send_days() { for day in $(seq 120); do send small days $((now - day * 86400)); done; }
beside send_days
is 'a profile of each of 120 days is accepted' 120 "$(grep -c 200 send_days.codes)"
is 'profiles of others are accepted at the same time' 10 "$(grep -c 200 codes)"
is 'queries of others are answered at the same time' 10 "$(wc -l <totals)"
is 'all days are stored' 12000000000 "$(total days 200d)"
expect_that 'the server ends on SIGTERM' stop_server

# 64 descriptors: the store uses a part of them and keeps few days open
printf '#!/bin/sh\nulimit -n 64\nexec "%s" "$@"\n' "$VARVE" >few
chmod +x few
rm -rf data
VARVE=$work/few
start_server
"$ATTACK" -c 25 -s 20 idle 127.0.0.1 "$PORT" >attack.json &
attack=$!
sleep 0.5
is 'with few descriptors a profile of each of 40 days is accepted' 40 "$(for day in $(seq 0 39); do send small days $((now - day * 86400)); done | grep -c 200)"
is 'with few descriptors all days can be queried' 4000000000 "$(total days 200d)"
kill $attack
wait $attack

# more idle connections than descriptors, which reconnect when closed: the longest idle make room. On a
# busy machine a new connection may be closed before its request arrives: clients send it again.
retry='--retry 5 --retry-all-errors'
"$ATTACK" -c 50 -n 1 -u /ready -s 60 pipeline 127.0.0.1 "$PORT" >attack.json &
attack=$!
wait_for_displaced
: >codes
: >totals
for day in $(seq 0 39); do
	send small kept $((now - day * 86400)) >>codes
	total kept 200d >>totals
done
is 'with 50 idle connections each profile of a new client is accepted' 40 "$(grep -c 200 codes)"
is 'with 50 idle connections each query is answered' 4000000000 "$(tail -1 totals)"
is 'with 50 idle connections each result is exact' 40 "$(grep -c '^[1-9][0-9]*00000000$' totals)"
kill $attack
wait $attack
expect_that 'the server ends on SIGTERM' stop_server
finish
