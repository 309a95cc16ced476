#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Preload libvarve.so into programs with known results: with each allocator, with sanitizers, with
# forks, signals, short-lived threads, and libraries that are loaded and unloaded.
. "$SOURCE_ROOT/tests/cli/lib.sh"

libraries=/usr/lib/x86_64-linux-gnu
jemalloc=$libraries/libjemalloc.so.2
tcmalloc=$libraries/libtcmalloc.so.4

cat >heap.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void *kept[64000];
__attribute__((noinline)) void leak_here(void)
{
	for (int i = 0; i < 64000; i++)
		kept[i] = malloc(1000);
}
__attribute__((noinline)) void churn_here(void)
{
	for (int i = 0; i < 20000; i++) {
		char *p = malloc(1000);
		__asm__ volatile("" : : "r"(p) : "memory");
		free(p);
	}
}
static void *run(void *arg)
{
	churn_here();
	return arg;
}
int main(void)
{
	pthread_t t;
	leak_here();
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	puts("done");
	return 0;
}
END
cat >heap.cc <<'END'
#include <cstdio>
#include <new>
#include <thread>
char *kept[64000];
struct alignas(64) large { char bytes[960]; };
__attribute__((noinline)) void leak_here() { for (auto &k : kept) k = new char[1000]; }
__attribute__((noinline)) void churn_here()
{
	for (int i = 0; i < 10000; i++) {
		large *p = new large;
		char *q = new char[1000];
		__asm__ volatile("" : : "r"(p), "r"(q) : "memory");
		delete p;
		delete[] q;
	}
}
int main()
{
	volatile size_t too_much = (size_t)1 << 62;
	leak_here();
	std::thread t(churn_here);
	t.join();
	try {
		char *p = new char[too_much];
		std::printf("%p\n", (void *)p);
	} catch (const std::bad_alloc &) {
		std::puts("done");
	}
}
END
cat >locks.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int handled;
__attribute__((noinline)) void hold_here(void)
{
	struct timespec pause = {0, 5000000};
	pthread_mutex_lock(&lock);
	nanosleep(&pause, NULL);
	pthread_mutex_unlock(&lock);
}
static void *take_turns(void *arg)
{
	for (int i = 0; i < 20; i++)
		hold_here();
	return arg;
}
static void *churn(void *arg)
{
	char *p = malloc(5000);
	for (int i = 0; i < 1000; i++) {
		p = realloc(p, (size_t)(100 + i * 7919 % 9000));
		memset(p, 1, 100);
	}
	free(p);
	return arg;
}
static void on_signal(int number)
{
	handled += number > 0;
}
static void in_threads(void *(*run)(void *), int n)
{
	pthread_t t[8];
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}
int main(int argc, char **argv)
{
	struct itimerspec often = {{0, 200000}, {0, 200000}}, never = {{0, 0}, {0, 0}};
	timer_t timer;
	(void)argv;
	signal(SIGALRM, on_signal);
	in_threads(take_turns, 3);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &often, NULL);
	for (int i = 0; i < 100; i++)
		in_threads(churn, 4);
	timer_settime(timer, 0, &never, NULL);
	for (int i = 0; i < 20 && argc == 1; i++) {
		int status;
		pid_t child = fork();
		if (!child) {
			churn(NULL);
			in_threads(churn, 2);
			_exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			return 1;
	}
	for (int i = 0; i < 30; i++) {
		void *library = dlopen("libz.so.1", RTLD_NOW);
		churn(NULL);
		if (library)
			dlclose(library);
	}
	puts("done");
	return 0;
}
END

# host preload kinds program...: run the program with the library preloaded; profiles are written to
# ./profiles
host() {
	preload=$1 kinds=$2
	shift 2
	rm -rf profiles
	mkdir profiles
	timeout 60 env VARVE_AUTOSTART=1 VARVE_PROFILES="$kinds" VARVE_HEAP_INTERVAL=16KiB \
		VARVE_DIRECTORY="$PWD/profiles" VARVE_TRACES=0 VARVE_METRICS=0 LD_PRELOAD="$preload" \
		"$@" >out 2>err </dev/null
	code=$?
}

# total file type function: print the function's total from the rows of the whole profile
total() {
	"$VARVE" top -n 0 --type "$2" --json "profiles/$1.pb.gz" 2>>err | awk -v name="\"$3\"," '
		/"name":/ { here = index($0, name) } here && /"total":/ { print $2 + 0; exit } END { if (!here) print 0 }' | head -1
}

# check name low high value
within() {
	if [ "$code" = 0 ] && grep -q 'done' out && [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then
		report ok "$1"
	else
		echo "value $4, expected $2 to $3" >>err
		report 'not ok' "$1"
	fi
}

heap_over() { # name preload program
	host "$2" heap "$3"
	within "$1: the leak is in the heap profile" 59000000 69000000 "$(total heap inuse_space leak_here)"
	within "$1: freed memory is not in the heap profile" 0 200000 "$(total heap inuse_space churn_here)"
}

${CC:-cc} -O1 -g -o heap heap.c -pthread && ${CC:-cc} -O1 -g -o locks locks.c -pthread || exit 1
heap_over glibc "$LIBVARVE" ./heap
[ -e $jemalloc ] && heap_over jemalloc "$LIBVARVE $jemalloc" ./heap
[ -e $tcmalloc ] && heap_over tcmalloc "$LIBVARVE $tcmalloc" ./heap
if command -v c++ >/dev/null; then
	c++ -O1 -g -o heapx heap.cc -pthread || exit 1
	heap_over 'C++ over glibc' "$LIBVARVE" ./heapx
	[ -e $jemalloc ] && heap_over 'C++ over jemalloc' "$LIBVARVE $jemalloc" ./heapx
	[ -e $tcmalloc ] && heap_over 'C++ over tcmalloc' "$LIBVARVE $tcmalloc" ./heapx
fi
if [ -e $jemalloc ]; then
	host "$jemalloc $LIBVARVE" heap,mutex ./heap
	within 'an allocator loaded before us is not intercepted' 0 0 0
fi

# three threads hold the lock for 5 ms in turn, 20 times each: two of them wait nearly always
all=cpu,heap,mutex,block,mmap
locks_behind() { # name preload program...
	name=$1
	shift
	host "$1" $all "$2" "${3-./locks}"
	within "$name: waiters" 300000000 6000000000 "$(total block delay hold_here)"
	within "$name: holders" 300000000 6000000000 "$(total mutex delay hold_here)"
}
locks_behind 'forks, signals, threads, libraries' "$LIBVARVE" ./locks
if ${CC:-cc} -O1 -g -fsanitize=address -o locks_asan locks.c -pthread 2>/dev/null; then
	runtime=$(readlink -f "$(${CC:-cc} -print-file-name=libasan.so)")
	locks_behind 'address sanitizer' "$runtime $LIBVARVE" ./locks_asan
fi
if ${CC:-cc} -O1 -g -fsanitize=thread -o locks_tsan locks.c -pthread 2>/dev/null; then
	runtime=$(readlink -f "$(${CC:-cc} -print-file-name=libtsan.so)")
	export TSAN_OPTIONS=report_signal_unsafe=0:exitcode=0:die_after_fork=0
	host "$runtime $LIBVARVE" $all ./locks_tsan no-fork
	within 'thread sanitizer: waiters' 300000000 20000000000 "$(total block delay hold_here)"
fi

# the process exits with its last thread, not with main()'s, and exit handlers run then
cat >last.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void at_exit(void) { puts("handlers ran"); }
static void *work(void *arg)
{
	usleep(1500000);
	puts("work is done");
	return arg;
}
int main(void)
{
	pthread_t t;
	atexit(at_exit);
	if (pthread_create(&t, NULL, work, NULL))
		return 1;
	pthread_exit(NULL);
}
END
${CC:-cc} -O1 -g -o last last.c -pthread || exit 1
for kinds in --cpu --heap --all; do
	timeout -k 1 60 "$VARVE" run $kinds --no-summary -o last-files -- ./last >out 2>err
	code=$?
	expect "$kinds: main() that ends with pthread_exit()" 0 'work is done' 'handlers ran'
done
finish
