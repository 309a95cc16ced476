# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What it costs to stand in front of a mutex, off and recording: one that nobody else wants, and one that two threads want at once.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_locks_loop}"
: "${FORWARD:=$PWD/build-release/bench/libsdk_locks_forward.so}"
: "${ROUNDS:=61}"
locks="VARVE_AUTOSTART=1 VARVE_PROFILES=mutex,block VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

# compare how what count: each setting in turns, in rounds short enough that neighbours have the same weather
compare() {
	settings=
	add_setting plain "$LOOP" "$3" "$1" "$2"
	add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" "$3" "$1" "$2"
	add_setting off LD_PRELOAD="$LIBVARVE" "$LOOP" "$3" "$1" "$2"
	add_setting on "$locks" "$LOOP" "$3" "$1" "$2"
	run_settings "$ROUNDS"
}

# a program of one thread has two once it is profiled, so it is asked only when that is off
for how in alone one two work; do
	case $how in
	two) count=300000 ;;
	work) count=10000 ;;
	*) count=500000 ;;
	esac
	compare $how time $count
	what="ns a round, $ROUNDS rounds in turns"
	report_ratio "mutex-$how-floor" floor plain "a library that only calls the real function; $what"
	report_ratio "mutex-$how-off" off plain "loaded, not recording; $what"
	if [ $how != alone ]; then
		report_ratio "mutex-$how" on plain "mutex and block profiles; $what"
	fi
done

# One that waits each time: what a wait costs more than without us, whoever else wants the processors. At most 2000 waits a second are recorded.
settings=
add_setting plain "$LOOP" 300 handover
add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" 300 handover
add_setting seen "$locks" VARVE_BLOCK_INTERVAL=1000s "$LOOP" 300 handover
add_setting recorded "$locks" "$LOOP" 300 handover
run_settings "$ROUNDS"
for name in floor seen recorded; do
	bench_report "mutex-wait-$name" "$(awk -v a="$(middle $name)" -v b="$(middle plain)" 'BEGIN { print a - b }')" ns less '' '' \
		"CPU of a lock that waits and the unlock it waits for, more than without us ($(middle plain) ns); middle of $ROUNDS rounds in turns"
done

# Two that hammer a mutex: what a call costs, and how often they meet, told apart.
compare two cpu 300000
report_ratio mutex-two-cpu-floor floor plain "CPU ns a round of both threads; $ROUNDS rounds in turns"
report_ratio mutex-two-cpu on plain "mutex and block profiles, CPU ns a round of both threads; $ROUNDS rounds in turns"
compare two waits 300000
for name in plain floor on; do
	bench_report "mutex-two-waits-$name" "$(middle $name)" waits less '' '' "in 1000 rounds; middle of $ROUNDS"
done
