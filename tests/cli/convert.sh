#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve convert: formats by name and content, merging, and atomic writes.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded
printf 'main;b 40\nmain;c 3\n' >b.folded

sorted() { LC_ALL=C sort "$1"; }

run convert a.folded -o a.pb.gz
expect 'to pprof by the name of the output' 0
expect_that 'pprof is compressed with gzip' sh -c "head -c 2 a.pb.gz | od -An -tx1 | grep -q '1f 8b'"
run convert a.pb.gz -t folded
expect_that 'converting back gives the same stacks' sh -c 'sort out | cmp -s - a.folded'

cp a.pb.gz nameless
run convert nameless -t folded
expect 'the input format is detected by content' 0 '^main;b 2$'
run convert - -t folded <a.pb.gz
"$VARVE" convert - -t folded <a.pb.gz >out 2>err
code=$?
expect 'from stdin to stdout' 0 '^main;a 1$'
run convert a.folded -f folded -t folded -o -
expect '-o - is stdout' 0 '^main;a 1$'

run convert a.folded b.folded a.pb.gz -t folded
sorted out >merged
printf 'main;a 2\nmain;b 44\nmain;c 3\n' >wanted
expect_that 'several inputs of different formats are merged' cmp merged wanted

run convert a.folded b.folded -o m.pb.gz
run convert m.pb.gz -t folded
sorted out >merged
printf 'main;a 1\nmain;b 42\nmain;c 3\n' >wanted
expect_that 'merged profiles are written as one' cmp merged wanted

run convert a.folded -o a.folded.gz
expect 'a compression suffix after the extension' 0
expect_that 'the compression suffix compresses' sh -c 'gzip -dc a.folded.gz | sort | cmp -s - a.folded'
run convert a.folded.gz -t folded
expect 'compressed input is decompressed' 0 '^main;b 2$'
run convert a.folded -o a.folded.zst
run top a.folded.zst
expect 'zstd is supported' 0 'samples 3'

run convert a.folded -o a.otlp.zst
expect_that 'a format with a compound extension is compressed' sh -c \
	"head -c 4 a.otlp.zst | od -An -tx1 | grep -q '28 b5 2f fd'"
run convert a.otlp.zst -t folded
expect 'the compressed format is read' 0 '^main;b 2$'

# perf's comm as the root frame, as in stackcollapse-perf.pl.
printf 'web 7 1.5: 10 cycles:\n\t1 leaf (app)\n\t2 main (app)\n\nvacuum 8 1.6: 5 cycles:\n\t2 main (app)\n' >perf.txt
run convert perf.txt -t folded
expect_out 'the comm of perf script is the root frame' 'vacuum;main 5
web;main;leaf 10'
run convert perf.txt perf.txt -t folded
expect_out 'the comm is the root frame in several files' 'vacuum;main 10
web;main;leaf 20'
run convert perf.txt -t folded --root ''
expect_out "--root '' adds no root frame" 'main 5
main;leaf 10'
run convert perf.txt -t folded --root thread.id
expect_out '--root selects another label' '7;main;leaf 10
8;main 5'
run convert perf.txt a.folded --type cycles -t folded
expect_out 'no root frame if other formats are merged with it' 'main 5
main;leaf 10'

# Several sample types.
checkout=$SOURCE_ROOT/examples/checkout.pb.gz
run convert "$checkout" --type samples -o one.pb.gz
run top one.pb.gz --type cpu
expect '--type keeps one sample type' 2 "no sample type 'cpu'; existing types: samples/count"
run top one.pb.gz -n 1
expect 'the kept type has all its samples' 0 'samples 613 in'
run convert "$checkout" -o all.otlp
run top all.otlp -n 1
expect 'a pprof keeps its default type through OTLP' 0 'cpu 6.13 s'
run convert "$checkout" --type nonsense -o two.pb.gz
expect 'a nonexistent sample type' 2 "no sample type 'nonsense'"
expect_not 'a failed conversion leaves no file' test -e two.pb.gz

# An existing file is replaced only by a complete new file.
echo precious >keep.pb.gz
run convert missing.folded -o keep.pb.gz
expect 'a failed convert' 2
expect_that 'a failed convert keeps the existing file' grep -q precious keep.pb.gz
run convert a.folded -o keep.pb.gz
run convert keep.pb.gz -t folded
expect 'a successful convert replaces it' 0 '^main;b 2$'
ln -s keep.pb.gz link.pb.gz
run convert b.folded -o link.pb.gz
expect_that 'a symbolic link is kept' test -L link.pb.gz
run top keep.pb.gz
expect 'the target of the link is replaced' 0 'samples 43'
chmod 640 keep.pb.gz
run convert a.folded -o keep.pb.gz
expect_that 'permissions are kept' sh -c '[ "$(stat -c %a keep.pb.gz)" = 640 ]'
run convert a.folded -t folded -o /dev/null
expect 'a device is written to directly' 0
run convert a.folded -o nowhere/a.pb.gz
expect 'a nonexistent directory' 2 'nowhere/a.pb.gz: cannot create: No such file'
run convert a.pb.gz -o a.pb.gz
run convert a.pb.gz -t folded
expect 'the output can be the input' 0 '^main;b 2$'

if command -v script >/dev/null; then
	script -qec "'$VARVE' convert a.folded -t pprof" /dev/null >out 2>err </dev/null
	code=$?
	expect 'no binary to a terminal' 2 'pprof is binary and not printed to a terminal; use -o FILE'
	script -qec "'$VARVE' convert a.pb.gz -t folded" /dev/null >out 2>err </dev/null
	code=$?
	expect 'text is written to a terminal' 0 'main;b 2'
else
	skip 'no binary to a terminal' 'no script(1)'
fi

run convert --list-formats
expect '--list-formats lists names, directions, extensions' 0 '^pprof +read +write .*\.pb\.gz' '^folded '

# A text format is read line by line: the input can be larger than the memory limit.
awk 'BEGIN { for (i = 0; i < 400000; i++) print "main;work;some_function_with_a_name;leaf" i % 10 " 1" }' >big.folded
run convert big.folded -t folded --max-memory 8M
expect 'a text of 17 MB is converted with 8 MB of memory' 0 'leaf9 40000$'
finish
