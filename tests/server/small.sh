#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Disk usage of a small store: while profiles are written and merged, and afterwards, the files take
# at most twice the live bytes plus the fixed amount of docs/store.md.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
floor=$((4 * 1024 * 1024 + 256 * 1024))
: >polls
: >out
: >err

live() { curl -sf "$URL/api/v1/stats" | jq .live_bytes; }
on_disk() { du -sB1 "$SCRATCH/data" 2>/dev/null | cut -f1; } # a file may be removed meanwhile
log_bytes() { cat "$SCRATCH"/data/*-wal 2>/dev/null | wc -c; }

# Record live bytes before and after the disk usage, because a merge in between reduces them.
poll() {
	before=$(live)
	disk=$(on_disk)
	after=$(live)
	echo "$before $disk $after" >>polls
}

poll_while() { while kill -0 "$1" 2>/dev/null; do poll; done; }

start_server
"$LOAD" -r 20 -c 8 -s 12 127.0.0.1 "$PORT" >load.json 2>err &
sender=$!
poll_while $sender
wait $sender
code=$?
expect 'profiles are sent' 0
expect_that 'all profiles are acknowledged' jq -e '.acknowledged > 100 and .refused == 0 and .failed == 0' load.json
# level 0 is merged within ten seconds, then the log is emptied; a busy machine takes longer
until=$(($(date +%s) + 14))
last=$((until + 60))
while now=$(date +%s) && [ "$now" -lt $last ]; do
	poll
	[ "$now" -lt $until ] || [ "$(log_bytes)" -gt 0 ] || break
	sleep 0.1
done
awk -v floor=$floor '
	{ live = $1 > $3 ? $1 : $3; over = $2 - 2 * live }
	NR == 1 || over > most { most = over; line = $0 }
	END { printf "# %d polls; most over twice the live bytes: %d KiB (live, disk, live: %s)\n", NR, most / 1024, line; exit !(NR > 20 && most <= floor) }
' polls >verdict
within=$?
cat verdict
expect_that 'disk usage is always at most twice the live bytes plus the fixed amount' [ $within = 0 ]
expect_that 'the store has more than the log of one commit' [ "$(live)" -gt 300000 ]
expect_that 'the log is empty when writing has ended' [ "$(log_bytes)" = 0 ]
run store stats "$SCRATCH/data" --json
expect 'store stats succeeds' 0
expect_that 'store stats reports the disk usage and its limit' jq -e '.bytes_disk <= .bytes_disk_limit and .bytes_disk_limit >= 2 * .bytes_live' out
expect_that 'the server ends on SIGTERM' stop_server
run store check "$SCRATCH/data"
expect 'the store is intact afterwards' 0
finish
