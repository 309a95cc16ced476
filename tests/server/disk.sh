#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# A full disk, an unwritable directory, a second process, damaged files: errors give the reason,
# acknowledged data is kept, and the server recovers by itself where possible.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded

# send a small profile; prints the status
send() {
	curl -s -o out -w '%{http_code}' --data-binary @a.folded "$URL/ingest?name=app&from=${1:-now}&until=${1:-now}" 2>err
}
# send a span; prints the status
send_span() {
	curl -s -o out -w '%{http_code}' -H 'content-type: application/json' "$URL/v1/traces" --data \
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"000000000000000000000000000000aa\",\"spanId\":\"00000000000000aa\",\"name\":\"s\",\"startTimeUnixNano\":\"$(date +%s%N)\"}]}]}]}" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
count() { # the sum of the stored profiles
	"$VARVE" query top app --url "$URL" --from 0 --to now+1h --type cpu --json 2>err | jq -r '.total // 0'
}

start_server
is 'a profile is accepted' 200 "$(send)"
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0
expect 'a second process on the same directory is refused, with the pid of the first' 2 "$SERVER"
run server --data other --listen "127.0.0.1:$PORT" --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0
expect 'the error of a port in use gives the address and the options' 2 "cannot listen on 127.0.0.1:$PORT" '--listen, --otlp-grpc and --otlp-http'
stop_server

# root may write everywhere, so the test switches to another user
nobody=
[ "$(id -u)" != 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 755 "$work"
mkdir -p locked/inside && chmod 755 locked && chmod 500 locked/inside
if [ -z "$nobody" ]; then chmod 555 locked; fi
if ! $nobody "$VARVE" --version >out 2>err </dev/null; then
	skip 'an unwritable directory' 'setpriv is not installed, or others cannot read the program'
else
	for directory in locked/data locked/inside; do
		[ -n "$nobody" ] || [ $directory = locked/data ] || continue
		$nobody "$VARVE" server --data $directory --listen 127.0.0.1:0 >out 2>err </dev/null
		code=$?
		expect "an unwritable directory is an error: $directory" 2 "$directory.*[Pp]ermission"
	done
fi
echo file >plain
run server --data plain --listen 127.0.0.1:0
expect 'a file in place of the directory is an error' 2 'plain'

# each old day has its own file
start_server
for day in 1700000000 1700100000 1700200000; do
	is "a profile of an old day ($day) is accepted" 200 "$(send $day)"
done
before=$(count)
stop_server
first=$(find data -name '2023-11-1*.db' | sort | head -1)
expect_that 'each day has a file' [ "$(find data -name '2023-11-1*.db' | wc -l)" = 3 ]
size=$(stat -c %s "$first")
dd if=/dev/urandom of="$first" bs=1 seek=$((size / 3)) count=$((size / 3)) conv=notrunc 2>/dev/null
run store check data
expect 'store check finds the damage and names the day' 1 "$(basename "$first" .db)"
start_server
after=$(count)
expect_that "the other days can still be queried ($before, then $after)" [ "$after" -gt 0 ]
expect_that 'the damaged file is set aside, not deleted' sh -c 'ls data/*.damaged* >/dev/null'
is 'new data is accepted' 200 "$(send)"

# responses of each kind list the damaged days that they do not include
day=$(basename "$first" .db)
warns() { # name file
	expect_that "$1" grep -q "^varve-warning: .*damaged.*$day" "$2"
}
curl -s -D head -o body "$URL/api/v1/top?query=app&from=0"
warns 'responses of /api/v1 have a warning header' head
expect_that 'responses of /api/v1 have a list of warnings' jq -e ".warnings[0] | contains(\"$day\")" body
curl -s -D head -o body "$URL/pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7B%7D&from=1&until=now"
warns 'responses of /pyroscope/render have a warning header' head
ask='{"start": 1, "end": 9000000000000}'
curl -s -D head -o body -H 'Content-Type: application/json' -d "$ask" "$URL/querier.v1.QuerierService/ProfileTypes"
warns 'responses of Connect calls have a warning header' head
printf '\0\0\0\0\012\010\001\020\200\240\266\316\367\205\002' >ask.bin # the same in protobuf
curl -s --http2-prior-knowledge -D head -o body -H 'Content-Type: application/grpc' -H 'TE: trailers' --data-binary @ask.bin \
	"$URL/querier.v1.QuerierService/ProfileTypes"
warns 'responses of gRPC calls have a warning header' head
run query top app --url "$URL" --from 0
expect 'varve query prints the warning to stderr' 0 "^varve: warning: .*damaged.*$day"
curl -s -D head -o body "$URL/api/v1/top?query=app&from=now-1h"
expect_not 'a range without that day has no warning' grep -q varve-warning head
stop_server

# a disk error makes ext4 remount the file system read-only
if [ "$(id -u)" = 0 ] && truncate -s 16M image && mkfs.ext4 -q image 2>/dev/null && mkdir failing && mount -o loop,errors=remount-ro image failing 2>/dev/null; then
	trap 'umount "$work/failing" 2>/dev/null; rm -rf "$work"' EXIT
	rm -rf data && mkdir failing/data && ln -s failing/data data
	start_server
	is 'a profile is accepted on a separate disk' 200 "$(send)"
	kept=$(count)
	mount -o remount,abort failing 2>/dev/null
	got=$(send)
	case $got in
	503 | 507) report ok "on a read-only disk a profile is refused with a retryable status ($got)" ;;
	*) report 'not ok' "on a read-only disk a profile is refused (got $got)" ;;
	esac
	expect_that 'the error gives the reason' grep -qiE 'read-only|readonly' out
	is 'acknowledged data can still be queried' "$kept" "$(count)"
	is '/healthz still succeeds' 200 "$(curl -s -o /dev/null -w '%{http_code}' "$URL/healthz")"
	stop_server TERM
	run server --data data --listen 127.0.0.1:0
	expect 'a server does not start on a read-only disk and gives the reason' 2 'data.*[Rr]ead-only'
	run store check data
	expect 'the store on a read-only disk can be checked' 0
	umount failing && mount -o loop,errors=remount-ro image failing
	start_server
	is 'when the disk is writable again acknowledged data is intact' "$kept" "$(count)"
	is 'when the disk is writable again profiles are accepted' 200 "$(send)"
	stop_server
	run store check data
	expect 'the store is intact' 0
	umount failing
	rm -rf data
else
	skip 'a read-only disk' 'needs root, a loop device and mkfs.ext4'
fi

if [ "$(id -u)" != 0 ] || ! mkdir small || ! mount -t tmpfs -o size=3m tmpfs small 2>/dev/null; then
	skip 'a full disk' 'needs root and tmpfs'
	finish
fi
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
rm -rf data && mkdir small/data && ln -s small/data data
start_server
is 'a profile is accepted on a small disk' 200 "$(send)"
dd if=/dev/zero of=small/filler bs=1k count=8192 2>/dev/null
tries=60
while [ "$(send)" = 200 ] && [ $tries -gt 0 ]; do tries=$((tries - 1)); done
got=$(send)
case $got in
503 | 507) report ok "on a full disk a profile is refused with a retryable status ($got)" ;;
*) report 'not ok' "on a full disk a profile is refused (got $got)" ;;
esac
expect_that 'the error gives the reason' grep -qiE 'space|full' out
is 'on a full disk a span is refused' 503 "$(send_span)"
expect_that 'the error for spans gives the same reason' grep -qiE 'space|full' out
kept=$(count)
expect_that 'on a full disk acknowledged data can be queried' [ "$kept" -gt 0 ]
rm small/filler
tries=100
while [ "$(send)" != 200 ] && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
expect_that 'profiles are accepted again when there is room' [ $tries -gt 0 ]
is 'spans are accepted again when there is room' 200 "$(send_span)"
expect_that 'no acknowledged data is missing' [ "$(count)" -gt "$kept" ]
stop_server
run store check data
expect 'the store is intact' 0
finish
