#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve_stop() leaks nothing, checked by valgrind and by the leak sanitizer. The host starts and
# stops the library twice, with threads that end, requested profiles, and ended and open spans.
. "$SOURCE_ROOT/tests/cli/lib.sh"

cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <varve/varve.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static void on_profile(void *arg, enum varve_profile kind, const void *bytes, size_t size, uint64_t start, uint64_t duration)
{
	(void)kind, (void)bytes, (void)size, (void)start, (void)duration;
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_RELAXED);
}
static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < 300; i++) {
		struct varve_span *s = varve_span_start("work", NULL);
		char *p = malloc(2000);
		varve_span_set_str(s, "key", "value");
		varve_label("worker", "one");
		pthread_mutex_lock(&mu);
		for (volatile int k = 0; k < 20000; k++)
			p[k % 2000] = 1;
		pthread_mutex_unlock(&mu);
		free(p);
		varve_span_end(s);
	}
	return NULL;
}
/* valgrind does not make the first thread's stack longer for a signal */
static __attribute__((noinline)) void lengthen_stack(void)
{
	volatile char room[1 << 19];
	for (size_t i = 0; i < sizeof(room); i += 1024)
		room[i] = 1;
}
int main(void)
{
	int profiles = 0;
	lengthen_stack();
	for (int round = 0; round < 2; round++) {
		struct varve_options o = {.profiles = 0xff, .cpu_hz = 200, .heap_interval = 1000, .block_interval_ns = 1,
			.export_interval_ms = 300, .on_profile = on_profile, .on_profile_arg = &profiles, .listen = "127.0.0.1:0"};
		pthread_t threads[4];
		void *bytes;
		size_t size;
		o.guards.max_cpu = 1;
		if (varve_start(&o))
			return fprintf(stderr, "%s\n", varve_last_error()), 1;
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, work, NULL);
		for (int kind = 1; kind <= VARVE_MMAP; kind <<= 1)
			if (!varve_take_profile(kind, kind == VARVE_CPU || kind == VARVE_WALL ? 1 : 0, &bytes, &size))
				varve_free(bytes);
		varve_span_start("does not end", NULL);
		free(varve_metrics_text());
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		varve_flush(5000);
		varve_stop();
	}
	puts(profiles > 4 ? "done" : "nothing was profiled");
	return 0;
}
END

host() { # name command...
	name=$1
	shift
	"$@" >out 2>err
	code=$?
	expect "$name" 0 '^done$'
}

build() { # output flags...
	output=$1
	shift
	${CC:-cc} -O1 -g "$@" -I"$SOURCE_ROOT/include" -o "$output" host.c "$LIBVARVE" -Wl,-rpath,"$(dirname "$LIBVARVE")" -pthread 2>err
}

build plain || exit 1
host 'the host itself runs' ./plain
if [ -s err ]; then report 'not ok' 'nothing is written to stderr'; else report ok 'nothing is written to stderr'; fi
if valgrind --version >/dev/null 2>&1; then
	host 'valgrind finds no error and no leak' timeout 200 valgrind -q --error-exitcode=9 --leak-check=full \
		--errors-for-leak-kinds=definite,indirect,possible ./plain
	if [ -s err ]; then report 'not ok' 'valgrind prints nothing'; else report ok 'valgrind prints nothing'; fi
else
	skip 'valgrind finds no error and no leak' 'valgrind is not installed'
fi
if build leaks -fsanitize=address; then
	host 'the leak sanitizer finds nothing' env ASAN_OPTIONS=detect_leaks=1 ./leaks
else
	report ok 'leak sanitizer # SKIP not supported by the compiler'
fi
finish
