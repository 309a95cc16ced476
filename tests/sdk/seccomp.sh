#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that restrict their system calls under `varve run`: they end in the same way as without
# varve, samples from before the restriction are written, and the summary reports why there are no
# more.
. "$SOURCE_ROOT/tests/cli/lib.sh"

${CC:-cc} -O1 -g -pthread -o seccomp "$SOURCE_ROOT/tests/sdk/seccomp.c" || exit 1
if ! ./seccomp seccomp kill 0 main >out 2>err && [ "$(cat out)" != worked ]; then
	skip 'programs under seccomp' 'no seccomp here'
	finish
fi

# as_alone how action threads end: compare the exit status with and without each profiler; a timeout
# counts as a status
as_alone() {
	timeout 60 ./seccomp "$@" >alone 2>&1
	alone=$?
	for kinds in --cpu --heap --all; do
		rm -rf files
		timeout 60 "$VARVE" run $kinds -o files -- ./seccomp "$@" >out 2>err
		code=$?
		expect "$kinds, $*: same status as without varve ($alone)" $alone '^worked$' 'seccomp'
	done
}

as_alone strict kill 0 exit
as_alone prctl kill 0 main
as_alone prctl errno 0 group
as_alone seccomp trap 0 exit
as_alone seccomp kill 1 group
as_alone tsync kill 1 main
as_alone prctl kill 0 quick
as_alone tsync trap 1 quick
as_alone seccomp kill 0 thread
as_alone tsync errno 0 thread
as_alone exec kill 0 main

"$VARVE" top -n 0 --type alloc_space files/heap.pb.gz >out 2>err
code=$?
expect 'samples from before the restriction are written' 0 'work'

# the last thread ends itself, without a filter
timeout 60 "$VARVE" run --all -o files -- ./seccomp none kill 0 exit >out 2>err
code=$?
expect 'a raw SYS_exit of the only thread ends the program' 7 '^worked$' 'CPU: '
timeout 60 "$VARVE" run --all -o files -- ./seccomp none kill 0 thread >out 2>err
code=$?
expect 'pthread_exit() of the only thread ends the program' 0 '^worked$' 'CPU: '
finish
