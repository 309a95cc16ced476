#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Children of fork() under `varve run`: those that exit at once have little overhead (measured in
# page faults; bench/sdk/sdk_forks.sh measures time), those that live are profiled. Also: signal
# masks read back as the program has set them.
. "$SOURCE_ROOT/tests/cli/lib.sh"

${CC:-cc} -O1 -g -pthread -o forks "$SOURCE_ROOT/tests/sdk/forks.c" || exit 1

for end in exit quick; do
	alone=$(./forks 100 $end | cut -d' ' -f1)
	rm -rf files
	run run --no-summary --cpu --heap -o files -- ./forks 100 $end
	with=$(cut -d' ' -f1 out)
	echo "# $end: $alone page faults without varve, $with profiled"
	expect "$end: the program runs as without varve" 0 '^[0-9]'
	expect_that "$end: a child has at most 800 page faults more" test "$with" -le $((alone + 800))
	# a short-lived child may get a sample by chance; most get none
	expect_that "$end: children without samples write nothing" test "$(find files -name '*.[0-9]*.*' | wc -l)" -le 60
done
run run --no-summary --cpu --heap -o files -- ./forks 20 exec
expect 'exec: the program runs as without varve' 0 '^[0-9]'

rm -rf files
run run --no-summary --cpu --heap -o files -- ./forks 2 live
expect 'live: the program runs as without varve' 0 '^[0-9]'
for type in cpu/cpu heap/alloc_space; do
	kind=${type%/*}
	find files -name "$kind.[0-9]*.pb.gz" >found
	expect_that "live: each child has a $kind profile" test "$(wc -l <found)" = 2
	run top -n 0 --type "${type#*/}" "$(head -n 1 found)"
	expect "live: the profile has the child's function ($kind)" 0 child_work
done

run run --no-summary --all -o files -- ./forks mask
expect 'signal masks read back as they were set' 0
finish
