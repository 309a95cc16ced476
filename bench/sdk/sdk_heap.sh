# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Overhead of heap sampling: a loop of malloc() and free(), which allocates 10 GB/s and is sampled
# 20,000 times per second, with libvarve.so and with the samplers of tcmalloc and jemalloc on their
# own allocators; and real programs.
#
# Programs that are compared run at the same time (bench/versus.c), because the speed of a machine
# with other tenants changes by a third from one second to the next. The loop compared with itself
# is 0.88 to 1.14 (quartiles) one after the other, and 0.99 to 1.01 on one core at the same time;
# with two threads, which must run in parallel, in turns of 10 ms, 0.93 to 1.04. Each result has a
# control, the program compared with itself in the same rounds. CPU time is that of the whole
# process, including start, stop, writing the files and the library's thread. Instructions, which
# valgrind counts, are exact.
set -eu
: "${SCRATCH:?}"
. bench/bench.sh

: "${LIBVARVE:=$PWD/build-release/libvarve.so}"
: "${LOOP:=$PWD/build-release/bench/sdk_heap_loop}"
: "${IDLE:=$PWD/build-release/bench/libsdk_idle_thread.so}"
: "${ROUNDS:=15}"
: "${PAIRS:=5000000}"
libraries=/usr/lib/x86_64-linux-gnu
nothing=VARVE_PROFILES=heap # has no effect without the library; env runs on both sides
heap="VARVE_AUTOSTART=1 VARVE_PROFILES=heap VARVE_DIRECTORY=$SCRATCH VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD=$LIBVARVE"

# compare label core|turns rounds "settings" "settings" what program...: report the CPU time with
# the second settings, relative to that with the first
compare() {
	label=$1 how=$2 rounds=$3 first=$4 second=$5 what=$6
	shift 6
	# shellcheck disable=SC2046,SC2086 # several words
	{
		set -- $(build-release/bench/versus "$how" "$rounds" env $first "$@" -- env $second "$@")
		[ $# -eq 6 ] # otherwise versus has printed an error
		bench_report "$label" "$1" x less '' '' \
			"$what; CPU time, median of $rounds rounds at the same time ($how), quartiles $2 to $3; control $4, quartiles $5 to $6"
	}
}

compare heap-loop-1-off core 7 $nothing LD_PRELOAD="$LIBVARVE" "loaded, not sampling, 1 thread" "$LOOP" "$PAIRS" 1
for row in '1 core' '2 turns'; do
	# shellcheck disable=SC2086 # two words
	set -- $row
	loop="$LOOP $((PAIRS / $1)) $1"
	# shellcheck disable=SC2086 # words
	compare "heap-loop-$1" "$2" "$ROUNDS" $nothing "$heap" "malloc/free loop, $1 threads, sampling at 512 KiB" $loop
	if [ -e $libraries/libtcmalloc.so.4 ]; then
		peer=LD_PRELOAD=$libraries/libtcmalloc.so.4
		# shellcheck disable=SC2086 # words
		compare "heap-loop-$1-tcmalloc" "$2" 5 $peer "$peer TCMALLOC_SAMPLE_PARAMETER=524288" "tcmalloc's own sampler at 512 KiB, $1 threads" $loop
	fi
	if [ -e $libraries/libjemalloc.so.2 ]; then
		peer=LD_PRELOAD=$libraries/libjemalloc.so.2
		# shellcheck disable=SC2086 # words
		compare "heap-loop-$1-jemalloc" "$2" 5 $peer "$peer MALLOC_CONF=prof:true,lg_prof_sample:19" "jemalloc's own sampler at 512 KiB, $1 threads" $loop
	fi
done

# Real programs that run for about a second. The lower bound is a library that only starts a
# sleeping thread: the cost of libc in a program that has a second thread (sqlite3 takes many
# mutexes; zstd has threads of its own).
write_sql() { # rows file
	cat >"$2" <<SQL
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $1)
insert into t select i, 'row ' || (i * 7919 % 100003) || hex(randomblob(20)), i * 0.5 from n;
create index by_b on t(b);
select count(*), sum(length(b)), group_concat(substr(b, 1, 3)) is not null from t where b > 'row 5';
select substr(b, 1, 6) k, count(*), avg(c) from t group by k order by 2 desc limit 5;
SQL
}
write_sql 250000 "$SCRATCH/work.sql"
write_sql 20000 "$SCRATCH/few.sql"
if command -v sqlite3 >/dev/null; then
	sqlite="sqlite3 -init $SCRATCH/work.sql :memory: .quit"
	# shellcheck disable=SC2086 # words
	{
		compare heap-sqlite core 11 $nothing "$heap" "sqlite3, sampling at 512 KiB" $sqlite
		compare heap-sqlite-over-floor core 7 LD_PRELOAD="$IDLE" "$heap" "sqlite3, compared with a library that only starts a sleeping thread" $sqlite
	}
fi
if command -v zstd >/dev/null; then
	head -c 3000000 "$VARVE" >"$SCRATCH/input"
	compare heap-zstd core 21 $nothing "$heap" "zstd -19, sampling at 512 KiB" zstd -q -19 -c "$SCRATCH/input"
fi

# instructions settings program...: print the number of instructions
instructions() {
	with=$1
	shift
	# shellcheck disable=SC2086 # settings are words
	env $with valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}
if command -v valgrind >/dev/null; then
	for n in 100000 200000; do
		eval "off_$n=$(instructions $nothing "$LOOP" $n 1) on_$n=$(instructions "$heap" "$LOOP" $n 1)"
	done
	# shellcheck disable=SC2154 # set by eval
	bench_report heap-loop-instructions "$(awk -v off=$((off_200000 - off_100000)) -v on=$((on_200000 - on_100000)) 'BEGIN { print (on - off) / 100000 }')" \
		instructions less '' '' "additional instructions per malloc/free pair, samples included; $(((off_200000 - off_100000) / 100000)) without; counted by valgrind"
	if command -v sqlite3 >/dev/null; then
		few="sqlite3 -init $SCRATCH/few.sql :memory: .quit"
		# shellcheck disable=SC2086 # words
		bench_report heap-sqlite-instructions "$(awk -v off="$(instructions $nothing $few)" -v on="$(instructions "$heap" $few)" 'BEGIN { print on / off }')" \
			x less '' '' "sqlite3, less work, sampling at 512 KiB, start and stop included; counted by valgrind"
	fi
	if command -v zstd >/dev/null; then
		head -c 600000 "$VARVE" >"$SCRATCH/few"
		bench_report heap-zstd-instructions "$(awk -v off="$(instructions $nothing zstd -q -19 -c "$SCRATCH/few")" -v on="$(instructions "$heap" zstd -q -19 -c "$SCRATCH/few")" 'BEGIN { print on / off }')" \
			x less '' '' "zstd -19, less work, sampling at 512 KiB, start and stop included; counted by valgrind"
	fi
fi

# A program that does nothing: measures loading, starting, stopping and writing the files.
if command -v sqlite3 >/dev/null; then
	settings=
	program='sqlite3 :memory: "select 1"'
	for field in 1 2; do
		add_setting nothing-$field build-release/bench/measure 10 env "$nothing" "$program" "| cut -d' ' -f$field"
		add_setting nothing-on-$field build-release/bench/measure 10 env "$heap" "$program" "| cut -d' ' -f$field"
	done
	run_settings 9
	for row in '1 start-cpu CPU' '2 start-wall wall-clock'; do
		# shellcheck disable=SC2086 # three words
		set -- $row
		bench_report "heap-$2" "$(awk -v a="$(median "nothing-on-$1")" -v b="$(median "nothing-$1")" 'BEGIN { print (a - b) * 1000 }')" \
			ms less '' '' "$3 time to load, start, stop and write the files; minimum of 10 runs, median of 9 such"
	done
fi
