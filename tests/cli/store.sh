#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve store: exit codes 0 clean, 1 damaged, 2 unreadable.
. "$SOURCE_ROOT/tests/cli/lib.sh"

run store
expect 'missing arguments are reported' 2 'check or stats'
run store mend data
expect 'an unknown action is rejected' 2 'expected check or stats'
run store check missing
expect 'a nonexistent directory cannot be read' 2 'missing: '
mkdir empty
run store check empty
expect 'an empty directory is clean' 0 '^clean; 0 partitions.* 0 spans, 0 log records, 0 samples of metrics$'
run store stats empty --json
expect 'the stats of an empty directory are zeros' 0 '"samples": ?0' '"spans": ?0' '"logs": ?0' '"metric_samples": ?0'
# a file with the name of a partition and other contents
mkdir damaged
printf 'this is not a database' >damaged/2024-10-04.db
run store check damaged
expect 'a damaged partition is reported by name' 1 '^2024-10-04: ' '^damaged'
expect_that 'a damaged partition stays in place' test -f damaged/2024-10-04.db
run delete --signal traces shop --before now
expect 'a signal other than profiles has no selector' 2 'whole days are deleted'

# deletion of one signal on a server
free_port 3
"$VARVE" up --data data --listen "127.0.0.1:$port" --otlp-grpc "127.0.0.1:$((port + 1))" \
	--otlp-http "127.0.0.1:$((port + 2))" --retention-logs 30d >up.out 2>&1 </dev/null &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
tries=100
until grep -q 'msg=ready' up.out || [ $tries = 0 ]; do
	sleep 0.1
	tries=$((tries - 1))
done
url="http://127.0.0.1:$port"
old=$(($(date +%s) - 3 * 86400))
stale=$((old - 60 * 86400))
record() { # seconds
	echo "{\"timeUnixNano\":\"${1}000000000\",\"body\":{\"stringValue\":\"hello\"}}"
}
logs() { # records
	curl -s -H 'content-type: application/json' "http://127.0.0.1:$((port + 2))/v1/logs" \
		-d "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[$1]}]}]}" >out 2>err
	code=$?
}
logs "$(record "$old"),$(record "$stale")"
expect 'a log record beyond its own retention is refused with the reason' 0 'rejectedLogRecords' 'retention_logs'
curl -s "$url/api/v1/stats" >out 2>err
expect 'the stats of the server have log records' 0 '"logs": ?1,' '"log_bytes": ?[1-9]' '"metric_samples"'
run delete --url "$url" --signal traces --before now
expect 'a signal without data deletes nothing' 0 '^0 spans deleted; whole days'
run delete --url "$url" --signal logs --before now-4d
expect 'a day that has not ended before the time stays' 0 '^0 log records deleted'
run delete --url "$url" --signal logs --before now-1d
expect 'log records of whole days are deleted' 0 '^1 log records deleted; whole days'
run delete --url "$url" --signal nonsense --before now
expect 'an unknown signal is refused' 2 'expected profiles, traces, metrics or logs'
kill $server
wait $server
run store stats data --json
expect 'the deletion is durable' 0 '"logs": ?0'
finish
