#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# perf record | perf script with many sets of fields: the sums equal those of the text, and the
# stacks are the same for each set.
set -eu
command -v perf >/dev/null || {
	echo "no perf"
	exit 77
}
command -v cc >/dev/null || {
	echo "no C compiler"
	exit 77
}
cd "$SCRATCH"

cat >hot.c <<'END'
#include <stdio.h>
__attribute__((noinline)) unsigned leaf(unsigned n)
{
	for (int i = 0; i < 1000000; i++)
		n = n * 1664525u + 1013904223u;
	return n;
}
__attribute__((noinline)) unsigned middle(unsigned n) { return leaf(n) + 1; }
int main(void)
{
	unsigned sum = 0;
	for (int i = 0; i < 60; i++)
		sum += middle(sum);
	printf("%u\n", sum);
	return 0;
}
END
cc -g -O0 -fno-omit-frame-pointer hot.c -o hot
perf record -q -o data -e cpu-clock -F 999 -g -- ./hot >/dev/null 2>record.log || {
	echo "perf is not permitted to record: $(head -n 1 record.log)"
	exit 77
}

# The expected sum: the periods of the event lines.
perf script -i data >plain 2>/dev/null
expected=$(awk '/cpu-clock:/ { for (i = 1; i <= NF; i++) if ($i ~ /^cpu-clock:/) sum += $(i - 1) } END { print sum }' plain)
samples=$(grep -c 'cpu-clock:' plain)
[ "$samples" -gt 10 ] || {
	echo "only $samples samples"
	exit 1
}

sum() {
	awk '{ sum += $NF } END { print sum + 0 }' "$1"
}

"$VARVE" convert plain -t folded -o folded
grep -q '^hot;.*main;middle;leaf ' folded || {
	echo "the comm is not the root frame"
	exit 1
}
"$VARVE" convert plain -t folded --root '' -o folded
[ "$(sum folded)" = "$expected" ] || {
	echo "plain: sum $(sum folded), expected $expected"
	exit 1
}
grep -q 'main;middle;leaf' folded || {
	echo "no stack main;middle;leaf"
	exit 1
}
perf script -i data 2>/dev/null | "$VARVE" convert - -t folded --root '' >piped
cmp folded piped

# Sets with the period must give the same lines, sets without it the same stacks with counts of one.
for fields in +pid +srcline comm,pid,tid,time,event,period,ip,sym,dso event,period,ip,sym,dso; do
	perf script -i data -F "$fields" 2>/dev/null >text
	"$VARVE" convert text -t folded --root '' -o other
	cmp folded other || {
		echo "-F $fields: different stacks"
		exit 1
	}
done
for fields in comm,tid,time,event,ip,sym,dso comm,event,ip,sym,dso comm,tid,ip,sym,dso ip,sym,dso time,ip,sym,dso; do
	perf script -i data -F "$fields" 2>/dev/null >text
	"$VARVE" convert text -t folded --root '' -o other
	[ "$(sum other)" = "$samples" ] || {
		echo "-F $fields: $(sum other) samples, expected $samples"
		exit 1
	}
	sed 's/ [0-9]*$//' other >other.stacks
	sed 's/ [0-9]*$//' folded | cmp - other.stacks || {
		echo "-F $fields: different stacks"
		exit 1
	}
done

# Without call chains: one line per sample.
perf record -q -o flat -e cpu-clock -F 999 -- ./hot >/dev/null 2>&1
perf script -i flat >text 2>/dev/null
"$VARVE" convert text -t folded --root '' -o other
expected=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^cpu-clock:/) sum += $(i - 1) } END { print sum }' text)
[ "$(sum other)" = "$expected" ] || {
	echo "no call chains: sum $(sum other), expected $expected"
	exit 1
}
