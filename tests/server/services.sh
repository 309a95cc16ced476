#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the function takes options
# 400 services in little memory: all is kept while they send, a question about one of them is always answered, and so is one about all of
# them, whose stacks do not fit the memory together.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
: >err
unset MALLOC_PERTURB_ # it fills, and so takes, what is only reserved
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}
cpu='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
ask() { curl -s -m 60 -o "$1" -w '%{http_code}\n' "$URL/api/v1/$2&$cpu&from=now-1h"; } # FILE QUESTION: the code

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
is 'all profiles are kept' '1200 0 0' "$(jq -r '"\(.acknowledged) \(.refused) \(.failed)"' load.json)"
is 'a question about one service is answered each time' $asked "$(grep -c 200 codes)"

sum=0
for service in $(seq 0 399); do
	ask one "flame?query=service$service&max_nodes=1" >>codes
	sum=$((sum + $(jq '.total // 0' one)))
done
is 'a flame graph of all services is answered' 200 "$(ask all 'flame?query=%7B%7D&max_nodes=1000')"
is 'exactly' "$sum" "$(jq .total all)"
is 'with the largest frames' 1 "$(jq -r '.warnings[0]' all | grep -c 'smaller frames are summed up as \[other\]')"
is 'the same again, from what is kept' 200 "$(ask again 'flame?query=%7B%7D&max_nodes=1000')"
for client in 1 2 3 4 5 6; do # each of another range, so that none has the result of another
	ask "large$client" "flame?query=%7B%7D&max_nodes=100$client&min_ratio=0.00$client" >"code$client" &
	eval "large$client=\$!"
done
for client in 1 2 3 4 5 6; do
	eval "wait \$large$client"
done
is 'six that need all of the memory at the same time wait for each other' 6 "$(cat code[1-6] | grep -c 200)"
is 'and are right' 6 "$(cat large[1-6] | jq .total | grep -cx "$sum")"
is 'but not all of their stacks' 429 "$(ask all 'tree?query=%7B%7D')"
is 'which says why' 1 "$(grep -c 'merging the stacks of 400 services may take .* MB, and all queries together may hold half of --memory-limit' all)"
is 'or all functions' 429 "$(ask all 'top?query=%7B%7D&n=5')"
is 'within the limit' 1 "$(awk '/VmHWM/ { print $2 < 128 * 1024 }' "/proc/$SERVER/status")"
expect_that 'it ends when asked to' stop_server
finish
