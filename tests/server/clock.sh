#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119,SC2317 # the functions take options that most calls have not, and are called by others
# A clock that is set forward and back under a running server and between its starts (libfaketime): nothing is lost or kept
# twice, each profile is in the day that the clock said, and retention drops nothing that is old only by a wrong clock.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
faketime=$(find /usr/lib -name libfaketimeMT.so.1 2>/dev/null | head -1)
if [ -z "$faketime" ]; then
	skip 'clocks that leap' 'libfaketime is not here'
	finish
fi
case $(nm -C "$VARVE" 2>/dev/null | grep -c '__asan_init\|__tsan_init') in
0) ;;
*)
	skip 'clocks that leap' 'sanitizers do not go with libfaketime'
	finish
	;;
esac

# The server sees the time of the file; timers are not touched.
set_clock() {
	echo "$1" >clock.new
	mv clock.new clock
}
varve=$VARVE
cat >shifted <<END
#!/bin/sh
exec env LD_PRELOAD=$faketime FAKETIME_TIMESTAMP_FILE=$work/clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \\
	DONT_FAKE_MONOTONIC=1 $varve "\$@"
END
chmod +x shifted

# the n-th profile; it has no time of its own: the server's counts
send() {
	echo "main;n$1 1" >one.folded
	echo "n$1" >>sent
	curl -s -o out -w '%{http_code}' --data-binary @one.folded "$URL/ingest?name=app" 2>err
}
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}
# every profile that was sent is there exactly once
all_there() {
	"$varve" query top app --url "$URL" --from 1 --to now+7300d --type cpu -n 0 --json 2>err |
		jq -r '.rows[] | select(.name != "main") | "\(.name) \(.self / 1e7)"' | sort >kept
	sed 's/$/ 1/' sent | sort >wanted # one sample at 100 Hz
	diff wanted kept >>err
}
has_day() { # date's words
	[ -f "data/$(date -u -d "$1" +%F).db" ]
}

VARVE=$work/shifted
set_clock +0
start_server --retention 30d
is 'a profile now' 200 "$(send 1)"
set_clock +3650d
is 'ten years ahead it is taken' 200 "$(send 2)"
expect_that 'into the day that the clock said' has_day '3650 days'
set_clock -5d
is 'as it is five days back' 200 "$(send 3)"
expect_that 'into that day' has_day '5 days ago'
is 'and hours back' 200 "$(set_clock -2h && send 4)"
set_clock +3650d
sleep 12 # retention looks every ten seconds
expect_that 'the log tells that the clock leapt' grep -q 'retention by age waits' server.log
expect_that 'retention drops nothing by a clock that leapt' has_day now
is 'and profiles are taken' 200 "$(send 5)"
set_clock +0
expect_that 'when it is undone all is there, once' all_there
stop_server

set_clock +3650d
start_server --retention 30d
sleep 12
expect_that 'the same when it leapt while nothing ran' has_day now
is 'and profiles are taken still' 200 "$(send 6)"
stop_server
set_clock +0
start_server
old=$(date -d '40 days ago' +%s)
is 'an old profile' 200 "$(curl -s -o out -w '%{http_code}' --data-binary @one.folded "$URL/ingest?name=old&from=$old&until=$old")"
stop_server
start_server --retention 30d
tries=200
while ! grep -q "a partition was dropped.*$(date -u -d "@$old" +%F)" server.log && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
expect_that 'is dropped: it is old by the right clock' [ $tries -gt 0 ]
expect_that 'and nothing else' all_there
expect_that 'it ends when asked to' stop_server
VARVE=$varve
run store check data
expect 'and leaves a whole store' 0
finish
