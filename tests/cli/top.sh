#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve top: compared with hand-made tables.
. "$SOURCE_ROOT/tests/cli/lib.sh"

cat >a.folded <<'END'
main;work;leaf 6
main;work 3
main;idle 1
main;rec;rec;rec 10
END

run top a.folded
expect_out 'self and total of each function; recursion counts once' \
	'a.folded: samples 20, 4 samples
self       %  total        %  function
  10  50.00%     10   50.00%  rec
   6  30.00%      6   30.00%  leaf
   3  15.00%      9   45.00%  work
   1   5.00%      1    5.00%  idle
   0   0.00%     20  100.00%  main'

run top a.folded --sort total -n 2
expect_out 'sorted by total; omitted rows are counted' \
	'a.folded: samples 20, 4 samples
self       %  total        %  function
   0   0.00%     20  100.00%  main
  10  50.00%     10   50.00%  rec
2 of 5 rows: 10 of 20 in self; -n 0 shows all'

run top a.folded --focus work --hide leaf -n 0
expect_out 'percentages are of the whole profile under filters' \
	'a.folded: samples 20, 4 samples; the filters keep 9, 45.0%
self       %  total       %  function
   9  45.00%      9  45.00%  work
   0   0.00%      9  45.00%  main'

run top a.folded a.folded -n 1
expect 'several files are summed' 0 'a.folded and 1 more: samples 40' '20  50.00%'

printf 'a;b 1\n' | run_in top -
code=$(cat code)
expect 'stdin is read for -' 0 'stdin: samples 1,'

run top a.folded --type cpu
expect 'a nonexistent sample type is reported with the existing ones' 2 \
	"a.folded: no sample type 'cpu'; existing types: "

run top a.folded --focus '('
expect 'an invalid pattern is reported' 2 "varve: --focus: invalid regular expression '\(': at character 2"

run top a.folded --focus nothing_like_it
expect 'filters that match nothing are reported' 0 'no sample passes the filters'

if command -v jq >/dev/null; then
	run top a.folded --json
	jq -r '.rows[] | "\(.name) \(.self) \(.total)"' out >rows
	printf 'rec 10 10\nleaf 6 6\nwork 3 9\nidle 1 1\nmain 0 20\n' >wanted
	expect_that '--json has the same numbers' cmp rows wanted
else
	skip '--json has the same numbers' 'no jq'
fi
finish
