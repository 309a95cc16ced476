#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# A full disk, a directory that cannot be written, a second process, damaged files: told with a reason, nothing
# acknowledged is lost, and what can recover recovers by itself.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded

# send one small profile; prints the status
send() {
	curl -s -o out -w '%{http_code}' --data-binary @a.folded "$URL/ingest?name=app&from=${1:-now}&until=${1:-now}" 2>err
}
# the same with a span
send_span() {
	curl -s -o out -w '%{http_code}' -H 'content-type: application/json' "$URL/v1/traces" --data \
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"000000000000000000000000000000aa\",\"spanId\":\"00000000000000aa\",\"name\":\"s\",\"startTimeUnixNano\":\"$(date +%s%N)\"}]}]}]}" 2>err
}
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}
count() { # profiles kept, by their sum
	"$VARVE" query top app --url "$URL" --from 0 --to now+1h --type cpu --json 2>err | jq -r '.total // 0'
}

start_server
is 'a profile is taken' 200 "$(send)"
run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0
expect 'a second process on the same directory is refused, with the pid of the first' 2 "$SERVER"
run server --data other --listen "127.0.0.1:$PORT" --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0
expect 'a port that is taken: which, and which options name another' 2 "cannot listen on 127.0.0.1:$PORT" '--listen, --otlp-grpc and --otlp-http'
stop_server

# root may write everywhere: then somebody else is asked to
nobody=
[ "$(id -u)" != 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 755 "$work"
mkdir -p locked/inside && chmod 755 locked && chmod 500 locked/inside
if [ -z "$nobody" ]; then chmod 555 locked; fi
if ! $nobody "$VARVE" --version >out 2>err </dev/null; then
	skip 'a directory without permission' 'setpriv is not here, or the program cannot be read by others'
else
	for directory in locked/data locked/inside; do
		[ -n "$nobody" ] || [ $directory = locked/data ] || continue
		$nobody "$VARVE" server --data $directory --listen 127.0.0.1:0 >out 2>err </dev/null
		code=$?
		expect "a directory without permission: $directory" 2 "$directory.*[Pp]ermission"
	done
fi
echo file >plain
run server --data plain --listen 127.0.0.1:0
expect 'a file in the place of the directory' 2 'plain'

# old days in files of their own
start_server
for day in 1700000000 1700100000 1700200000; do
	is "a profile of an old day ($day)" 200 "$(send $day)"
done
before=$(count)
stop_server
first=$(find data -name '2023-11-1*.db' | sort | head -1)
expect_that 'each day is a file' [ "$(find data -name '2023-11-1*.db' | wc -l)" = 3 ]
size=$(stat -c %s "$first")
dd if=/dev/urandom of="$first" bs=1 seek=$((size / 3)) count=$((size / 3)) conv=notrunc 2>/dev/null
run store check data
expect 'store check finds the damage and names the day' 1 "$(basename "$first" .db)"
start_server
after=$(count)
expect_that "the other days still answer ($before, then $after)" [ "$after" -gt 0 ]
expect_that 'the damaged file is set aside, not deleted' sh -c 'ls data/*.damaged* >/dev/null'
is 'and new data is taken' 200 "$(send)"

# what an answer is without it says, in every form
day=$(basename "$first" .db)
warns() { # name file
	expect_that "$1" grep -q "^varve-warning: .*damaged.*$day" "$2"
}
curl -s -D head -o body "$URL/api/v1/top?query=app&from=0"
warns 'our own answers have a header' head
expect_that 'and a list of warnings' jq -e ".warnings[0] | contains(\"$day\")" body
curl -s -D head -o body "$URL/pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7B%7D&from=1&until=now"
warns 'as has Pyroscope'\''s render' head
ask='{"start": 1, "end": 9000000000000}'
curl -s -D head -o body -H 'Content-Type: application/json' -d "$ask" "$URL/querier.v1.QuerierService/ProfileTypes"
warns 'and its calls' head
printf '\0\0\0\0\012\010\001\020\200\240\266\316\367\205\002' >ask.bin # the same in protobuf
curl -s --http2-prior-knowledge -D head -o body -H 'Content-Type: application/grpc' -H 'TE: trailers' --data-binary @ask.bin \
	"$URL/querier.v1.QuerierService/ProfileTypes"
warns 'in gRPC too' head
run query top app --url "$URL" --from 0
expect 'varve query tells it on stderr' 0 "^varve: warning: .*damaged.*$day"
curl -s -D head -o body "$URL/api/v1/top?query=app&from=now-1h"
expect_not 'a range without that day has no warning' grep -q varve-warning head
stop_server

# a disk that fails and can only be read from then on, as ext4 makes it
if [ "$(id -u)" = 0 ] && truncate -s 16M image && mkfs.ext4 -q image 2>/dev/null && mkdir failing && mount -o loop,errors=remount-ro image failing 2>/dev/null; then
	trap 'umount "$work/failing" 2>/dev/null; rm -rf "$work"' EXIT
	rm -rf data && mkdir failing/data && ln -s failing/data data
	start_server
	is 'on a disk of its own a profile is taken' 200 "$(send)"
	kept=$(count)
	mount -o remount,abort failing 2>/dev/null
	got=$(send)
	case $got in
	503 | 507) report ok "when it can only be read a profile is refused, retryably ($got)" ;;
	*) report 'not ok' "when it can only be read a profile is refused (got $got)" ;;
	esac
	expect_that 'and the reason is told' grep -qiE 'read-only|readonly' out
	is 'what was acknowledged still answers' "$kept" "$(count)"
	is 'and it says that it lives' 200 "$(curl -s -o /dev/null -w '%{http_code}' "$URL/healthz")"
	stop_server TERM
	run server --data data --listen 127.0.0.1:0
	expect 'a server does not start there, and says why' 2 'data.*[Rr]ead-only'
	run store check data
	expect 'but what is there can be checked' 0
	umount failing && mount -o loop,errors=remount-ro image failing
	start_server
	is 'on a disk that can be written again everything acknowledged is there' "$kept" "$(count)"
	is 'and profiles are taken' 200 "$(send)"
	stop_server
	run store check data
	expect 'the store is whole' 0
	umount failing
	rm -rf data
else
	skip 'a disk that can only be read' 'needs root, a loop device and mkfs.ext4'
fi

if [ "$(id -u)" != 0 ] || ! mkdir small || ! mount -t tmpfs -o size=3m tmpfs small 2>/dev/null; then
	skip 'a full disk' 'needs root and tmpfs'
	finish
fi
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
rm -rf data && mkdir small/data && ln -s small/data data
start_server
is 'on a small disk a profile is taken' 200 "$(send)"
dd if=/dev/zero of=small/filler bs=1k count=8192 2>/dev/null
tries=60
while [ "$(send)" = 200 ] && [ $tries -gt 0 ]; do tries=$((tries - 1)); done
got=$(send)
case $got in
503 | 507) report ok "when it is full a profile is refused, retryably ($got)" ;;
*) report 'not ok' "when it is full a profile is refused (got $got)" ;;
esac
expect_that 'and the reason is told' grep -qiE 'space|full' out
is 'and so is a span' 503 "$(send_span)"
expect_that 'with the same reason' grep -qiE 'space|full' out
kept=$(count)
expect_that 'what was acknowledged still answers' [ "$kept" -gt 0 ]
rm small/filler
tries=100
while [ "$(send)" != 200 ] && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
expect_that 'with room again it recovers by itself' [ $tries -gt 0 ]
is 'and takes spans' 200 "$(send_span)"
expect_that 'and nothing is missing' [ "$(count)" -gt "$kept" ]
stop_server
run store check data
expect 'the store is whole' 0
finish
