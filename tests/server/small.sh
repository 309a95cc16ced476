#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# A small store takes little room: while profiles come, while they are merged and afterwards the files take at most twice the live
# bytes and what docs/store.md says that a small one needs besides.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
floor=$((4 * 1024 * 1024 + 256 * 1024))
: >polls
: >out
: >err

live() { curl -sf "$URL/api/v1/stats" | jq .live_bytes; }
on_disk() { du -sB1 "$SCRATCH/data" 2>/dev/null | cut -f1; } # a file may go while it is looked at
log_bytes() { cat "$SCRATCH"/data/*-wal 2>/dev/null | wc -c; }

# Live bytes before and after: a merge may fall between, and makes them fewer.
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
expect 'profiles are taken' 0
expect_that 'all of them' jq -e '.acknowledged > 100 and .refused == 0 and .failed == 0' load.json
# level 0 is merged, the last of it ten seconds later, and then the log emptied: on a busy machine all of it takes longer
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
expect_that 'at every moment the disk has at most twice the live bytes, and the floor' [ $within = 0 ]
expect_that 'there was more than the log of one commit' [ "$(live)" -gt 300000 ]
expect_that 'when nobody writes any more the log is empty' [ "$(log_bytes)" = 0 ]
run store stats "$SCRATCH/data" --json
expect 'stats tell how much it may be' 0
expect_that 'and that it is less' jq -e '.bytes_disk <= .bytes_disk_limit and .bytes_disk_limit >= 2 * .bytes_live' out
expect_that 'it ends when asked to' stop_server
run store check "$SCRATCH/data"
expect 'and leaves a whole store' 0
finish
