# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Overhead of fork() with the profilers on: children that end at once, by _exit() or exit(),
# compared with the same program without the library.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${COUNT:=2000}"
${CC:-cc} -O2 -pthread -o "$SCRATCH/forks" tests/sdk/forks.c
on="VARVE_AUTOSTART=1 VARVE_PROFILES=cpu,heap VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"
for end in quick exit; do
	settings=
	add_setting "off-$end" "$SCRATCH/forks" "$COUNT" "$end" "| cut -d' ' -f2"
	add_setting "on-$end" env "$on" "$SCRATCH/forks" "$COUNT" "$end" "| cut -d' ' -f2"
	run_settings 5
	bench_report "forks-$end" "$(awk -v a="$(median "on-$end")" -v b="$(median "off-$end")" 'BEGIN { print a / b }')" x less '' '' \
		"fork() of a child that ends by $end, CPU and heap profilers on; $(median "off-$end") us without the library"
done
