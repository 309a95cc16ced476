# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What it costs to stand in front of a mutex, off and recording: one that nobody else wants, and one that two threads want at once.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_locks_loop}"
: "${FORWARD:=$PWD/build-release/bench/libsdk_locks_forward.so}"
: "${ROUNDS:=41}"
locks="VARVE_AUTOSTART=1 VARVE_PROFILES=mutex,block VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

# a program of one thread has two once it is profiled, so it is asked only when that is off
for how in alone one two work; do
	settings=
	case $how in
	two) count=300000 ;;
	work) count=20000 ;;
	*) count=1000000 ;;
	esac
	add_setting plain "$LOOP" $count $how
	add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" $count $how
	add_setting off LD_PRELOAD="$LIBVARVE" "$LOOP" $count $how
	add_setting on "$locks" "$LOOP" $count $how
	run_settings "$ROUNDS"
	what="ns a round, $ROUNDS rounds in turns"
	report_ratio "mutex-$how-floor" floor plain "a library that only calls the real function; $what"
	report_ratio "mutex-$how-off" off plain "loaded, not recording; $what"
	if [ $how != alone ]; then
		report_ratio "mutex-$how" on plain "mutex and block profiles; $what"
	fi
done
