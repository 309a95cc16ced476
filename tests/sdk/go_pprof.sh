#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `go tool pprof http://...` against /debug/pprof of a program under `varve run --listen`, in every
# form.
. "$SOURCE_ROOT/tests/cli/lib.sh"
if ! command -v go >/dev/null; then
	echo '1..0 # SKIP Go is not installed'
	exit 0
fi
export PPROF_TMPDIR="$work"

cat >host.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void busy_here(void) { for (volatile int i = 0; i < 3000000; i++); }
__attribute__((noinline)) void *keep_here(void) { return malloc(4 << 20); }
__attribute__((noinline)) void hold_here(void) { pthread_mutex_lock(&mu); usleep(3000); pthread_mutex_unlock(&mu); }
static void *run(void *arg)
{
	for (;;) {
		char *p = malloc(100000);
		__asm__ volatile("" : : "r"(p) : "memory");
		busy_here();
		hold_here();
		free(p);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	void *volatile p = keep_here();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	sleep(280);
	free(p);
}
END
${CC:-cc} -O1 -g -fno-optimize-sibling-calls -o host host.c -pthread || exit 1
free_port
VARVE_HEAP_INTERVAL=4096 VARVE_MAX_PER_MINUTE=1000 VARVE_MAX_CPU=100% "$VARVE" run --all --no-summary --listen 127.0.0.1:$port -o files -- ./host &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$work"' EXIT
seen() { curl -sf "http://127.0.0.1:$port/debug/pprof/$1?debug=1" | grep -q "$2"; }
for _ in $(seq 300); do
	seen mutex hold_here && seen block hold_here && seen heap keep_here && break
	sleep 0.1
done

pprof_shows() { # name path regex flags...
	name=$1
	path=$2
	regex=$3
	shift 3
	go tool pprof -top "$@" "http://127.0.0.1:$port/debug/pprof/$path" >out 2>err </dev/null
	code=$?
	expect "go tool pprof: $name" 0 "$regex"
}
pprof_shows 'a CPU profile' 'profile?seconds=1' busy_here
pprof_shows 'the same by -seconds' profile busy_here -seconds 1
pprof_shows 'the heap' heap keep_here
pprof_shows 'the heap by another type' heap run -sample_index=alloc_space
pprof_shows 'the heap growth of a second' 'heap?seconds=1' 'Type: '
pprof_shows 'allocations' allocs 'run|keep_here' -sample_index=alloc_space
pprof_shows 'allocations of a second' 'allocs?seconds=1' run -sample_index=alloc_space
pprof_shows 'locks: holders' mutex hold_here
pprof_shows 'locks: waiters' block hold_here
pprof_shows 'locks of a second' 'block?seconds=1' hold_here
pprof_shows 'threads' goroutine 'run|main'
pprof_shows 'creators of threads' threadcreate main
pprof_shows 'the wall clock' 'wall?seconds=1' 'hold_here|usleep|nanosleep'
pprof_shows 'with lines' 'profile?seconds=1' 'host.c|busy_here' -lines
go tool pprof -top "http://127.0.0.1:$port/debug/pprof/nothing" >out 2>err </dev/null
code=$?
expect 'go tool pprof shows the error' 2 'Unknown profile|404'
finish
