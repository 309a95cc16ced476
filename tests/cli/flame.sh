#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve flame: compared with hand-made flame graphs.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a;x 40\nmain;a 10\nmain;b 30\nmain 10\nother 10\n' >a.folded
printf 'main;a;x 10\nmain;a 10\nmain;c 30\nmain 10\nother 10\n' >b.folded

run flame a.folded -w 40
expect_out 'frames are as wide as their share, the root on top' \
	'a.folded: samples 100, 5 samples
│all 100.0% ───────────────────────────│
│main 90.0% ────────────────────────│──│
│a 50.0% ───────────│b 30.0% ──│
│x 40.0% ──────│'
run flame a.folded -w 40 --ascii --depth 1
expect_out 'in ASCII; hidden levels are counted' \
	'a.folded: samples 100, 5 samples
|all 100.0% ---------------------------|
|main 90.0% ------------------------|--|
3 deeper than --depth not shown'
run flame a.folded -w 40 --invert --min 35
expect_out 'inverted; hidden frames are counted' \
	'a.folded: samples 100, 5 samples
│all 100.0% ───────────────────────────│
│x 40.0% ──────│
│a 40.0% ──────│
│main 40.0% ───│
6 frames under 35% not shown'
run flame a.folded -w 60 --show-from '^a$' --focus x
expect 'filters: percentages are of the whole profile' 0 'the filters keep 40, 40.0%' 'a 40.0%'
COLUMNS=30 run flame a.folded
expect_that 'COLUMNS sets the width' sh -c '[ "$(sed 1d out | wc -L)" = 30 ]'
run flame a.folded
expect_that '80 columns without a terminal' sh -c '[ "$(sed 1d out | wc -L)" = 80 ]'
LC_ALL=C run flame a.folded
expect_not 'ASCII in the C locale' sh -c "LC_ALL=C grep -q '[^ -~]' out"

run diff a.folded b.folded --flame -w 40
expect_out 'the flame graph of a diff has signs' \
	'before a.folded: samples 100, 5 samples
after  b.folded: samples 70, 5 samples
change: -30, -30.0%; 0 grew, 3 shrank, 1 new, 1 gone, 1 the same
│-all -30 ─────────────────────────────│
│-main -30 ──────────────────────────│=│
│-a -30 ───────│-b -30 ──│+c +30 │
│-x -30 ───│'

if command -v jq >/dev/null; then
	run flame a.folded --json
	jq -r '.nodes[] | select(.name == "a") | "\(.self) \(.total)"' out >rows
	echo '10 50' >wanted
	expect_that '--json has the whole tree' cmp rows wanted
	expect_that '--json: the nodes add up' sh -c \
		"jq -e '([.nodes[].self] | add) == .total and .nodes[0].total == .total' out"
else
	skip '--json has the whole tree' 'no jq'
fi

# ---- a standalone page ----

run flame a.folded -o page.html
expect_that 'a page is written to a file, and nothing to stdout' sh -c '[ -s page.html ] && [ ! -s out ]'
data() { # print the contents of the data element of the page
	sed -n 's|^ *<script id="data" type="application/json">\(.*\)</script>$|\1|p' "$1"
}
if command -v jq >/dev/null; then
	data page.html >data
	jq -r '.title, .initial, (.profiles[0] | .type, .total, (.nodes.names | join(" ")), (.rows[0] | "\(.name) \(.self)"))' data >rows
	printf '%s\n' a.folded 0 samples 100 'main a x b other' 'x 40' >wanted
	expect_that 'the page contains the tree and the table' cmp rows wanted
	expect_that 'the self values of the page add up' sh -c "jq -e '(.profiles[0].nodes.self | add) == .profiles[0].total' data"
else
	skip 'the page contains the tree and the table' 'no jq'
fi
expect_not 'the page refers to no external resource' sh -c \
	"grep -Eo '<link|<img|<script[^>]* src=|url\\(|@import|https?://[a-z0-9.]+' page.html | grep -vx http://www.w3.org"
expect_that 'the content security policy of the page allows no connection' grep -q "default-src 'none'.*connect-src 'none'" page.html
printf '</script><script>alert(1)</script>;<!-- 5\n' >hostile.folded
run flame hostile.folded -o page.html
expect_that 'a function name cannot close the data element' sh -c \
	"[ \$(grep -c '<script>alert' page.html) = 0 ] && grep -q 'u003c/script>' page.html"
run flame nothing.folded -o other.html
expect 'no page without a profile' 2 'nothing.folded: '
expect_not 'no file without a profile' test -e other.html
run flame a.folded --nodes 2 -o page.html
expect 'large trees are cut' 0
expect_that 'the page reports the number of omitted nodes' sh -c 'grep -q "\"node_count\":5,\"shown_count\":2" page.html'

printf 'a;b 0\n' >zero.folded
run flame zero.folded
expect 'a profile of zeros is an empty flame graph' 0 'samples 0, 1 sample'
awk 'BEGIN { printf "r"; for (i = 0; i < 3000; i++) printf ";f%d", i; print " 1" }' >deep.folded
run flame deep.folded --depth 0
expect_that '3000 levels are drawn' sh -c '[ "$(wc -l <out)" = 3003 ]'
finish
