#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Overload for $SECONDS_OF_LOAD seconds (5): memory stays within the limit, every refusal is
# retryable, and acknowledged data is complete. Then SIGTERM under load: the server ends cleanly.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
seconds=${SECONDS_OF_LOAD:-5}
limit=192
start_server --memory-limit ${limit}M
for kind in push ingest otlp; do
	"$LOAD" -k $kind -c 200 -s "$seconds" -p "$SERVER" 127.0.0.1 "$PORT" >$kind.json 2>err &
	eval "$kind=\$!"
done
# shellcheck disable=SC2154 # set by eval
for pid in $push $ingest $otlp; do wait "$pid" || code=1; done
cat push.json ingest.json otlp.json >out
expect_that 'every response is a success or a retryable refusal' [ $code = 0 ]
expect_that 'some profiles were acknowledged' sh -c "jq -es 'map(.acknowledged) | add > 0' push.json ingest.json otlp.json"
peak=$(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$SERVER/status")
echo "# peak $peak MB of $limit"
case $(nm -C "$VARVE" 2>/dev/null | grep -c '__asan_init\|__tsan_init') in
0) expect_that "memory stayed within the limit ($peak MB)" [ "$peak" -le "$limit" ] ;;
*) skip 'memory stayed within the limit' 'sanitizers take memory of their own' ;;
esac

wanted=$(jq -s 'map(.acknowledged) | add' push.json ingest.json otlp.json)
kept=$(curl -s "$URL/api/v1/stats" | jq .profiles)
expect_that "all acknowledged profiles are stored ($kept of $wanted)" [ "$kept" -ge "$wanted" ]

"$LOAD" -k push -c 50 -s 30 127.0.0.1 "$PORT" >/dev/null 2>&1 &
sender=$!
sleep 1
expect_that 'the server ends on SIGTERM under load' stop_server
kill $sender 2>/dev/null
wait $sender
run store check data
expect 'the store is intact afterwards' 0
finish
