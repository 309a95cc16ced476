#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# The whole server under load for $SECONDS_OF_LOAD seconds (6): all protocols at once, with queries of
# every kind, deletions and SIGHUP, and SIGTERM under load. This is for the thread sanitizer, which
# ends the program at its first finding.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
seconds=${SECONDS_OF_LOAD:-6}
: >out
: >err
start_server --retention 30d --retention-size 1G
for kind in push ingest otlp; do
	"$LOAD" -k $kind -c 8 -s "$seconds" 127.0.0.1 "$PORT" >$kind.json 2>>err &
	eval "$kind=\$!"
done

# repeat every kind of query until the senders are done
ask() { curl -s -m 60 -o /dev/null -w '%{http_code}\n' "$@" >>statuses; }
questions() {
	types='{"start": 1, "end": 9000000000000}'
	while [ ! -f over ]; do
		for path in services types labels 'label-values?name=pod' stats status 'top?query=service0' 'flame?query=service1&max_nodes=100' \
			'series?by=pod&step=1s' 'series?function=main&step=1s' 'heatmap?query=service2' 'profiles?query=service3&limit=3' \
			'diff?before=service0&after=service1' 'profile?query=service4' 'callers?query=service0&function=n1'; do
			ask "$URL/api/v1/$path"
		done
		ask -X DELETE "$URL/api/v1/data?query=service7&before=now"
		ask "$URL/metrics"
		ask -H 'Content-Type: application/json' -d "$types" "$URL/querier.v1.QuerierService/ProfileTypes"
		ask --http2-prior-knowledge "$URL/pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7B%7D&from=now-1h"
		curl -s -m 0.02 -o /dev/null "$URL/api/v1/tree" # disconnects before the response
		kill -HUP "$SERVER" 2>/dev/null
	done
}
tries=600
while [ "$(curl -s "$URL/api/v1/stats" | jq .profiles)" = 0 ] && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
questions &
first=$!
questions &
second=$!
# shellcheck disable=SC2154 # set by eval
for pid in $push $ingest $otlp; do wait "$pid" || code=1; done
cat push.json ingest.json otlp.json >out
expect_that 'every response to a write is a success or a retryable refusal' [ $code = 0 ]
: >over
wait $first $second
echo "# $(wc -l <statuses) responses to queries: $(sort statuses | uniq -c | tr -s ' \n' ' ')"
expect_that 'queries succeed' grep -q 200 statuses
expect_not 'no query fails with an internal error' grep -qE '^(000|500)' statuses
"$LOAD" -k push -c 8 -s 30 127.0.0.1 "$PORT" >/dev/null 2>&1 &
sender=$!
sleep 0.5
expect_that 'the server ends on SIGTERM under load' stop_server
kill $sender 2>/dev/null
wait $sender
expect_not 'there are no sanitizer findings' grep -q 'Sanitizer' server.log
run store check data
expect 'the store is intact afterwards' 0
finish
