# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Overhead of CPU profiling at 100 Hz for two busy threads, in CPU time and elapsed time; memory of
# the library, in total and per thread.
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
	report_ratio "cpu-100hz-$how" on plain "2 threads, 100 Hz, files at the end; $how seconds, $ROUNDS alternating rounds"
done

# more_resident THREADS: additional resident memory in KiB, with CPU, heap and locks on, after an
# export
more_resident() {
	settings=
	add_setting plain "$LOOP" memory 20 "$1"
	add_setting on VARVE_PROFILES=cpu,heap,mutex,block VARVE_EXPORT_INTERVAL=1s "$common" "$LOOP" memory 20 "$1"
	run_settings 3
	echo $(($(median on) - $(median plain)))
}
one=$(more_resident 1)
hundred=$(more_resident 100)
bench_report resident "$one" KiB less '' '' 'additional memory of the program: CPU, heap and locks on, one thread, after an export; median of 3'
bench_report resident-thread "$(((hundred - one) / 99))" KiB less '' '' 'additional memory for each of 99 more threads'
