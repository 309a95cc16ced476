# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Overhead of interposed mutex functions, off and recording: uncontended, waiting each time, and
# contended.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_locks_loop}"
: "${PAIRS:=$PWD/build-release/bench/sdk_locks_pairs}"
: "${FORWARD:=$PWD/build-release/bench/libsdk_locks_forward.so}"
: "${ROUNDS:=61}"
locks="VARVE_AUTOSTART=1 VARVE_PROFILES=mutex,block VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

# -- uncontended: alternating processes, in rounds so short that other load affects neighbouring
# ones alike ----

# A program of one thread has two when it is profiled, so `alone` is measured only with profiling
# off.
for how in alone one; do
	settings=
	add_setting plain "$LOOP" 500000 $how
	add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" 500000 $how
	add_setting off LD_PRELOAD="$LIBVARVE" "$LOOP" 500000 $how
	if [ $how = one ]; then
		add_setting on "$locks" "$LOOP" 500000 $how
	fi
	run_settings "$ROUNDS"
	what="CPU ns per round, $ROUNDS alternating rounds"
	report_ratio "mutex-$how-floor" floor plain "a library that only calls the real function; $what"
	report_ratio "mutex-$how-off" off plain "loaded, not recording; $what"
	if [ $how = one ]; then
		report_ratio "mutex-$how" on plain "mutex and block profiles; $what"
	fi
done

# -- waiting each time: additional CPU time of a wait, which other load hardly affects ----

# At most 2000 waits a second are recorded.
settings=
add_setting plain "$LOOP" 300 handover
add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" 300 handover
add_setting seen "$locks" VARVE_BLOCK_INTERVAL=1000s "$LOOP" 300 handover
add_setting recorded "$locks" "$LOOP" 300 handover
run_settings "$ROUNDS"
for name in floor seen recorded; do
	bench_report "mutex-wait-$name" "$(awk -v a="$(median $name)" -v b="$(median plain)" 'BEGIN { print a - b }')" ns less '' '' \
		"additional CPU time of a lock that waits and the unlock that it waits for (without the library: $(median plain) ns); median of $ROUNDS alternating rounds"
done

# -- contended: libc's functions and the library's alternate in one process (sdk_locks_pairs.c) ----

# Two threads compete only while both run, which they rarely do on a busy machine. So they get
# real-time priority, if permitted.
: "${COMPETING_PAIRS:=200}"
how_run="a processor each${ahead:+, real-time priority}"

column() {
	cut -d' ' -f"$1" "$SCRATCH/figures" >"$SCRATCH/$2"
}

# compete label what rounds inside outside environment...: report everything in one line, since a
# ratio means nothing without the share of contended rounds
compete() {
	label=$1
	what="$2, $how_run, $COMPETING_PAIRS pairs of turns of $3 rounds each"
	rounds=$3 inside=$4 outside=$5
	shift 5
	# shellcheck disable=SC2086 # words
	env "$@" $ahead "$PAIRS" "$COMPETING_PAIRS" "$rounds" "$inside" "$outside" >"$SCRATCH/figures"
	column 1 plain
	column 2 seen
	column 3 wall-plain
	column 4 wall-seen
	column 5 busy
	column 7 slept
	column 9 others
	# shellcheck disable=SC2046 # three numbers
	set -- $(pairs seen plain)
	ratio=$(awk -v r="$1" -v o="$(median others)" -v b="$(median plain)" 'BEGIN { printf "%.4f", r + o / b }')
	medians=$(awk -v a="$(median seen)" -v b="$(median plain)" 'BEGIN { printf "%.3f", a / b }')
	wall=$(awk -v a="$(median wall-seen)" -v b="$(median wall-plain)" 'BEGIN { printf "%.3f", a / b }')
	bench_report "$label" "$ratio" x less '' '' \
		"$what; CPU time of neighbouring turns, quartiles ${2} to ${3}, plus that of other threads ($(median others) ns per round); medians $(median seen) and $(median plain) ns per round, ${medians}x, elapsed time ${wall}x; of 1000 rounds with libc's functions $(median busy) found the mutex locked and $(median slept) slept"
}

# compete_all label what rounds inside outside
compete_all() {
	compete "$1-control" "control: libc's functions compared with themselves; $2" "$3" "$4" "$5" A=
	compete "$1-floor" "a library that only calls the real function; $2" "$3" "$4" "$5" LD_PRELOAD="$FORWARD"
	# shellcheck disable=SC2086 # words
	compete "$1" "mutex and block profiles; $2" "$3" "$4" "$5" $locks
}

compete_all mutex-contended "a microsecond of work inside and about a microsecond outside" 3000 3000 3000
compete_all mutex-contended-short "a third of a microsecond inside and outside" 6000 1000 1000
compete_all mutex-hammered "nothing inside or outside" 30000 0 0
