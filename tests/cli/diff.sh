#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve diff: compared with hand-made tables.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 10\nmain;b 20\nmain;old 5\nmain;same 5\n' >a.folded
printf 'main;a 30\nmain;b 15\nmain;fresh 30\nmain;same 5\n' >b.folded

run diff a.folded b.folded
expect_out 'sorted by change; new and gone are marked' \
	'before a.folded: samples 40, 4 samples
after  b.folded: samples 80, 4 samples
change: +40, 100.0%; 2 grew, 1 shrank, 1 new, 1 gone, 1 the same
before  after  self change        %  function
     0     30          +30      new  fresh
    10     30          +20  +200.0%  a
    20     15           -5   -25.0%  b
     5      0           -5     gone  old'
run diff a.folded b.folded --sort total -n 1
expect 'by total' 0 '^ *40 +80 +\+40 +\+100.0%  main$' '1 of 5 rows that changed; -n 0 shows all'
run diff a.folded b.folded --normalise
expect 'normalised: shares are compared' 0 'compared by share' '^ *40 +15 +-25 +-62.5%  b$' \
	'^ *20 +30 +\+10 +\+50.0%  a$'
run diff a.folded a.folded
expect 'a profile against itself: nothing changed' 0 '0 grew, 0 shrank, 0 new, 0 gone, 5 the same'
run diff a.folded
expect 'one profile is not enough' 2 'name two profiles: before and after'
run diff a.folded b.folded --type cpu
expect 'a nonexistent sample type' 2 "no sample type 'cpu'"
run diff "$SOURCE_ROOT/examples/checkout.pb.gz" "$SOURCE_ROOT/examples/checkout-slow.pb.gz" -n 1
expect 'the regression in the example is first' 0 'new  main\.\(\*Catalog\)\.search '
if command -v jq >/dev/null; then
	run diff a.folded b.folded --json
	jq -r '.rows[] | select(.kind == "new") | "\(.name) \(.self.delta) \(.total.after)"' out >rows
	echo 'fresh 30 30' >wanted
	expect_that '--json has the same numbers' cmp rows wanted
else
	skip '--json has the same numbers' 'no jq'
fi
finish
