# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What it costs to stand in front of a mutex, off and recording: one that nobody else wants, and one that two threads want at once.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_locks_loop}"
: "${PAIRS:=$PWD/build-release/bench/sdk_locks_pairs}"
: "${FORWARD:=$PWD/build-release/bench/libsdk_locks_forward.so}"
: "${ROUNDS:=61}"
locks="VARVE_AUTOSTART=1 VARVE_PROFILES=mutex,block VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

# -- one that nobody else wants: processes in turns, in rounds short enough that neighbours have the same weather ---------

# a program of one thread has two once it is profiled, so it is asked only when that is off
for how in alone one; do
	settings=
	add_setting plain "$LOOP" 500000 $how
	add_setting floor LD_PRELOAD="$FORWARD" "$LOOP" 500000 $how
	add_setting off LD_PRELOAD="$LIBVARVE" "$LOOP" 500000 $how
	if [ $how = one ]; then
		add_setting on "$locks" "$LOOP" 500000 $how
	fi
	run_settings "$ROUNDS"
	what="CPU ns a round, $ROUNDS rounds in turns"
	report_ratio "mutex-$how-floor" floor plain "a library that only calls the real function; $what"
	report_ratio "mutex-$how-off" off plain "loaded, not recording; $what"
	if [ $how = one ]; then
		report_ratio "mutex-$how" on plain "mutex and block profiles; $what"
	fi
done

# -- one that waits each time: what a wait costs more than without us, whoever else wants the processors -------------------

# At most 2000 waits a second are recorded.
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

# -- two that want it at once: libc's functions and the library's in turns, in one process (sdk_locks_pairs.c) -------------

# Two threads that do not run at the same time do not compete, and on a busy machine they seldom do: so nobody else runs meanwhile, if we may ask for that.
: "${COMPETING_PAIRS:=200}"
how_run="a processor each${ahead:+, before all others}"

column() {
	cut -d' ' -f"$1" "$SCRATCH/figures" >"$SCRATCH/$2"
}

# compete label what rounds inside outside environment...: all that is told in one line, since a ratio without how often they met means nothing
compete() {
	label=$1
	what="$2, $how_run, $COMPETING_PAIRS pairs of turns of $3 rounds"
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
	ratio=$(awk -v r="$1" -v o="$(middle others)" -v b="$(middle plain)" 'BEGIN { printf "%.4f", r + o / b }')
	medians=$(awk -v a="$(middle seen)" -v b="$(middle plain)" 'BEGIN { printf "%.3f", a / b }')
	wall=$(awk -v a="$(middle wall-seen)" -v b="$(middle wall-plain)" 'BEGIN { printf "%.3f", a / b }')
	bench_report "$label" "$ratio" x less '' '' \
		"$what; CPU of turns next to each other, half of them ${2} to ${3}, and that of other threads ($(middle others) ns a round); medians $(middle seen) ns a round against $(middle plain), ${medians}x, by the clock ${wall}x; of 1000 rounds with libc's functions $(middle busy) found it busy and $(middle slept) slept"
}

# compete_all label what rounds inside outside
compete_all() {
	compete "$1-control" "libc's functions against themselves: what this measure is worth; $2" "$3" "$4" "$5" A=
	compete "$1-floor" "a library that only calls the real function; $2" "$3" "$4" "$5" LD_PRELOAD="$FORWARD"
	# shellcheck disable=SC2086 # words
	compete "$1" "mutex and block profiles; $2" "$3" "$4" "$5" $locks
}

compete_all mutex-contended "a microsecond of work inside and about as much outside" 3000 3000 3000
compete_all mutex-contended-short "a third of a microsecond inside and outside" 6000 1000 1000
compete_all mutex-hammered "nothing inside or outside, as no program does" 30000 0 0
