# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What CPU profiling at 100 Hz costs two busy threads, in CPU time and by the clock; and what the library holds in memory, by itself and a thread.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_cpu_loop}"
: "${ROUNDS:=7}"
common="VARVE_AUTOSTART=1 VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

for how in cpu wall; do
	settings=
	add_setting plain "$LOOP" $how 500 2
	add_setting on VARVE_PROFILES=cpu "$common" "$LOOP" $how 500 2
	run_settings "$ROUNDS"
	report_ratio "cpu-100hz-$how" on plain "2 threads, 100 Hz, files at the end; $how seconds, $ROUNDS rounds in turns"
done

# Resident memory, with CPU, heap and locks on and one export behind it: how much more than without, in KiB, with that many threads.
more_resident() {
	settings=
	add_setting plain "$LOOP" memory 20 "$1"
	add_setting on VARVE_PROFILES=cpu,heap,mutex,block VARVE_EXPORT_INTERVAL=1s "$common" "$LOOP" memory 20 "$1"
	run_settings 3
	echo $(($(middle on) - $(middle plain)))
}
one=$(more_resident 1)
hundred=$(more_resident 100)
bench_report resident "$one" KiB less '' '' 'more than the program without it: CPU, heap and locks on, one thread, after an export; middle of 3'
bench_report resident-thread "$(((hundred - one) / 99))" KiB less '' '' 'more for each of 99 further threads'
