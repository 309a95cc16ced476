#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# 400 services with little memory: all writes are stored, a query of one service always succeeds, and
# so does a query of all services, whose stacks together do not fit in memory.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
: >err
unset MALLOC_PERTURB_ # it fills, and so makes resident, memory that is only reserved
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
cpu='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
ask() { curl -s -m 60 -o "$1" -w '%{http_code}\n' "$URL/api/v1/$2&$cpu&from=now-1h"; } # FILE QUERY: print the status

start_server --memory-limit 128M
"$LOAD" -c 8 -r 50 -N 1200 -s 60 -S 400 -P 2 -K 1000 -m 60 127.0.0.1 "$PORT" >load.json 2>err &
loading=$!
sleep 2
asked=0
while kill -0 $loading 2>/dev/null; do
	ask one 'flame?query=service1' >>codes
	asked=$((asked + 1))
	sleep 0.2
done
wait $loading
is 'all profiles are acknowledged' '1200 0 0' "$(jq -r '"\(.acknowledged) \(.refused) \(.failed)"' load.json)"
is 'each query of one service succeeds' $asked "$(grep -c 200 codes)"

sum=0
for service in $(seq 0 399); do
	ask one "flame?query=service$service&max_nodes=1" >>codes
	sum=$((sum + $(jq '.total // 0' one)))
done
is 'a flame graph of all services succeeds' 200 "$(ask all 'flame?query=%7B%7D&max_nodes=1000')"
is 'its total is exact' "$sum" "$(jq .total all)"
is 'a warning reports the aggregated small frames' 1 "$(jq -r '.warnings[0]' all | grep -c 'smaller frames are aggregated as \[other\]')"
is 'the same query succeeds from the kept result' 200 "$(ask again 'flame?query=%7B%7D&max_nodes=1000')"
for client in 1 2 3 4 5 6; do # with different parameters, so that none uses the kept result of another
	ask "large$client" "flame?query=%7B%7D&max_nodes=100$client&min_ratio=0.00$client" >"code$client" &
	eval "large$client=\$!"
done
for client in 1 2 3 4 5 6; do
	eval "wait \$large$client"
done
is 'six concurrent queries that need all memory wait for each other' 6 "$(cat code[1-6] | grep -c 200)"
is 'their totals are exact' 6 "$(cat large[1-6] | jq .total | grep -cx "$sum")"
is 'a query of all stacks is refused' 429 "$(ask all 'tree?query=%7B%7D')"
is 'the refusal gives the reason' 1 "$(grep -c 'merging the stacks of 400 services may take .* MB: all queries together may use half of --memory-limit' all)"
is 'a query of all functions is refused' 429 "$(ask all 'top?query=%7B%7D&n=5')"
is 'memory stays within the limit' 1 "$(awk '/VmHWM/ { print $2 < 128 * 1024 }' "/proc/$SERVER/status")"
expect_that 'the server ends on SIGTERM' stop_server
finish
