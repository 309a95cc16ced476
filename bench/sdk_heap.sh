# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What heap sampling costs: a loop of nothing but malloc() and free(), which takes 10 GB/s and is sampled 20,000 times a
# second, with libvarve.so and with the samplers of tcmalloc and jemalloc on their own allocators; and real programs.
set -eu
: "${SCRATCH:?}"
export SCRATCH
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_heap_loop}"
: "${MEASURE:=$PWD/build-release/bench/measure}"
: "${IDLE:=$PWD/build-release/bench/libsdk_idle_thread.so}"
: "${ROUNDS:=9}"
: "${PAIRS:=2000000}"
libraries=/usr/lib/x86_64-linux-gnu
nothing=VARVE_PROFILES=heap # as many programs are run without it: env, and the program
heap="VARVE_AUTOSTART=1 VARVE_PROFILES=heap VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

for threads in 1 2; do
	settings=
	add_setting glibc "$LOOP" "$PAIRS" $threads
	add_setting off LD_PRELOAD="$LIBVARVE" "$LOOP" "$PAIRS" $threads
	add_setting on "$heap" "$LOOP" "$PAIRS" $threads
	if [ -e $libraries/libtcmalloc.so.4 ]; then
		add_setting tcmalloc LD_PRELOAD=$libraries/libtcmalloc.so.4 "$LOOP" "$PAIRS" $threads
		add_setting tcmalloc-sampled TCMALLOC_SAMPLE_PARAMETER=524288 \
			LD_PRELOAD=$libraries/libtcmalloc.so.4 "$LOOP" "$PAIRS" $threads
	fi
	if [ -e $libraries/libjemalloc.so.2 ]; then
		add_setting jemalloc LD_PRELOAD=$libraries/libjemalloc.so.2 "$LOOP" "$PAIRS" $threads
		add_setting jemalloc-sampled MALLOC_CONF=prof:true,lg_prof_sample:19 \
			LD_PRELOAD=$libraries/libjemalloc.so.2 "$LOOP" "$PAIRS" $threads
	fi
	run_settings "$ROUNDS"
	what="CPU ns a pair, $threads threads, $ROUNDS rounds in turns"
	report_ratio "heap-loop-$threads-off" off glibc "loaded, not sampling; $what"
	report_ratio "heap-loop-$threads" on glibc "sampling at 512 KiB; $what"
	for peer in tcmalloc jemalloc; do
		if [ -s "$SCRATCH/$peer" ]; then
			report_ratio "heap-loop-$threads-$peer" $peer-sampled $peer "its own sampler at 512 KiB; $what"
		fi
	done
done

# Programs that do something, for a second or so: CPU seconds, in many short rounds, since no machine is quiet for long. What starting and
# stopping costs, whatever the program does, is in it, and told apart below. Beside each stands the floor: a library that only starts a thread, which sleeps,
# and so costs what libc does more in a program that has a second thread.
settings=
if command -v sqlite3 >/dev/null; then
	cat >"$SCRATCH/work.sql" <<'SQL'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 350000)
insert into t select i, 'row ' || (i * 7919 % 100003) || hex(randomblob(20)), i * 0.5 from n;
create index by_b on t(b);
select count(*), sum(length(b)), group_concat(substr(b, 1, 3)) is not null from t where b > 'row 5';
select substr(b, 1, 6) k, count(*), avg(c) from t group by k order by 2 desc limit 5;
SQL
	program='sqlite3 :memory: ".read $SCRATCH/work.sql"'
	add_setting sqlite "$ahead" "$MEASURE" 1 env "$nothing" "$program" "| cut -d' ' -f1"
	add_setting sqlite-thread "$ahead" "$MEASURE" 1 env LD_PRELOAD="$IDLE" "$program" "| cut -d' ' -f1"
	add_setting sqlite-on "$ahead" "$MEASURE" 1 env "$heap" "$program" "| cut -d' ' -f1"
fi
if command -v zstd >/dev/null; then
	head -c 30000000 "$VARVE" >"$SCRATCH/input"
	program='zstd -q -f -13 $SCRATCH/input -o $SCRATCH/output'
	add_setting zstd "$ahead" "$MEASURE" 1 env "$nothing" "$program" "| cut -d' ' -f1"
	add_setting zstd-thread "$ahead" "$MEASURE" 1 env LD_PRELOAD="$IDLE" "$program" "| cut -d' ' -f1"
	add_setting zstd-on "$ahead" "$MEASURE" 1 env "$heap" "$program" "| cut -d' ' -f1"
fi
: "${PROGRAM_ROUNDS:=25}"
run_settings "$PROGRAM_ROUNDS"
what="$PROGRAM_ROUNDS rounds in turns${ahead:+, before all others}"
for program in sqlite zstd; do
	if [ -s "$SCRATCH/$program" ]; then
		report_ratio "heap-$program" $program-on $program "CPU s of all threads, sampling at 512 KiB, $what"
		report_ratio "heap-$program-floor" $program-thread $program "a library that only starts a thread, which sleeps; CPU s, $what"
		report_ratio "heap-$program-over-floor" $program-on $program-thread "sampling at 512 KiB against that; CPU s of all threads, $what"
	fi
done

# A program that does nothing: what is left is loading, starting, stopping and writing the files.
if command -v sqlite3 >/dev/null; then
	settings=
	program='sqlite3 :memory: "select 1"'
	for field in 1 2; do
		add_setting nothing-$field "$MEASURE" 10 env "$nothing" "$program" "| cut -d' ' -f$field"
		add_setting nothing-on-$field "$MEASURE" 10 env "$heap" "$program" "| cut -d' ' -f$field"
	done
	run_settings "$ROUNDS"
	for row in '1 start-cpu CPU' '2 start-wall wall-clock'; do
		# shellcheck disable=SC2086 # three words
		set -- $row
		bench_report "heap-$2" "$(awk -v a="$(middle "nothing-on-$1")" -v b="$(middle "nothing-$1")" 'BEGIN { print (a - b) * 1000 }')" \
			ms less '' '' "$3 time to load, start, stop and write the files; the least of 10 runs, middle of $ROUNDS such"
	done
fi
