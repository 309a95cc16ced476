#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119,SC2317 # most calls pass no options; some functions are called indirectly
# The clock is set forward and back (by libfaketime) while the server runs and between its starts:
# nothing is lost or stored twice, each profile is stored in the day of the clock, and retention does
# not drop data that is old only by a wrong clock.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
faketime=$(find /usr/lib -name libfaketimeMT.so.1 2>/dev/null | head -1)
if [ -z "$faketime" ]; then
	skip 'clock jumps' 'libfaketime is not installed'
	finish
fi
case $(nm -C "$VARVE" 2>/dev/null | grep -c '__asan_init\|__tsan_init') in
0) ;;
*)
	skip 'clock jumps' 'sanitizers do not work with libfaketime'
	finish
	;;
esac

# Set the wall clock of the server; timers are not changed.
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

# send N: send the N-th profile, without a time, so that the server assigns its own
send() {
	echo "main;n$1 1" >one.folded
	echo "n$1" >>sent
	curl -s -o out -w '%{http_code}' --data-binary @one.folded "$URL/ingest?name=app" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
# succeeds if every sent profile is stored exactly once
all_there() {
	"$varve" query top app --url "$URL" --from 1 --to now+7300d --type cpu -n 0 --json 2>err |
		jq -r '.rows[] | select(.name != "main") | "\(.name) \(.self / 1e7)"' | sort >kept
	sed 's/$/ 1/' sent | sort >wanted # one sample at 100 Hz
	diff wanted kept >>err
}
has_day() { # a date as date(1) takes it
	[ -f "data/$(date -u -d "$1" +%F).db" ]
}

VARVE=$work/shifted
set_clock +0
start_server --retention 30d
is 'a profile with the right clock is accepted' 200 "$(send 1)"
set_clock +3650d
is 'a profile is accepted ten years ahead' 200 "$(send 2)"
expect_that 'it is stored in the day of the clock' has_day '3650 days'
set_clock -5d
is 'a profile is accepted five days back' 200 "$(send 3)"
expect_that 'it is stored in that day' has_day '5 days ago'
is 'a profile is accepted hours back' 200 "$(set_clock -2h && send 4)"
set_clock +3650d
sleep 12 # retention runs every ten seconds
expect_that 'the log reports the clock jump' grep -q 'retention by age waits' server.log
expect_that 'retention drops nothing after a clock jump' has_day now
is 'profiles are accepted after the jump' 200 "$(send 5)"
set_clock +0
expect_that 'after the jump is undone every profile is stored once' all_there
stop_server

set_clock +3650d
start_server --retention 30d
sleep 12
expect_that 'retention drops nothing after a jump between two starts' has_day now
is 'profiles are accepted after a jump between two starts' 200 "$(send 6)"
stop_server
set_clock +0
start_server
old=$(date -d '40 days ago' +%s)
is 'an old profile is accepted without retention' 200 "$(curl -s -o out -w '%{http_code}' --data-binary @one.folded "$URL/ingest?name=old&from=$old&until=$old")"
stop_server
start_server --retention 30d
tries=200
while ! grep -q "a partition was dropped.*$(date -u -d "@$old" +%F)" server.log && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
expect_that 'retention drops the profile that is old by the right clock' [ $tries -gt 0 ]
expect_that 'retention drops nothing else' all_there
expect_that 'the server ends on SIGTERM' stop_server
VARVE=$varve
run store check data
expect 'the store is intact afterwards' 0
finish
