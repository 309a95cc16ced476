#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve convert: formats by name and content, merging, whole files or none.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded
printf 'main;b 40\nmain;c 3\n' >b.folded

sorted() { LC_ALL=C sort "$1"; }

run convert a.folded -o a.pb.gz
expect 'to pprof by the name of the output' 0
expect_that 'it is gzip' sh -c "head -c 2 a.pb.gz | od -An -tx1 | grep -q '1f 8b'"
run convert a.pb.gz -t folded
expect_that 'and back: the same stacks' sh -c 'sort out | cmp -s - a.folded'

cp a.pb.gz nameless
run convert nameless -t folded
expect 'the format of the input is found by content' 0 '^main;b 2$'
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
expect_that 'and written as one' cmp merged wanted

run convert a.folded -o a.folded.gz
expect 'a compression behind the extension' 0
expect_that 'compresses' sh -c 'gzip -dc a.folded.gz | sort | cmp -s - a.folded'
run convert a.folded.gz -t folded
expect 'and is taken off again' 0 '^main;b 2$'
run convert a.folded -o a.folded.zst
run top a.folded.zst
expect 'zstd too' 0 'samples 3'

run convert a.folded -o a.otlp.zst
expect_that 'a format that has the extension for its own is compressed too' sh -c \
	"head -c 4 a.otlp.zst | od -An -tx1 | grep -q '28 b5 2f fd'"
run convert a.otlp.zst -t folded
expect 'and read back' 0 '^main;b 2$'

# perf's comm, as stackcollapse-perf.pl has it.
printf 'web 7 1.5: 10 cycles:\n\t1 leaf (app)\n\t2 main (app)\n\nvacuum 8 1.6: 5 cycles:\n\t2 main (app)\n' >perf.txt
run convert perf.txt -t folded
expect_out 'the comm of perf script is the root frame' 'vacuum;main 5
web;main;leaf 10'
run convert perf.txt perf.txt -t folded
expect_out 'of several too' 'vacuum;main 10
web;main;leaf 20'
run convert perf.txt -t folded --root ''
expect_out "--root '' does without" 'main 5
main;leaf 10'
run convert perf.txt -t folded --root thread.id
expect_out '--root takes another label' '7;main;leaf 10
8;main 5'
run convert perf.txt a.folded --type cycles -t folded
expect_out 'not where other formats are merged with it' 'main 5
main;leaf 10'

# Several sample types.
checkout=$SOURCE_ROOT/examples/checkout.pb.gz
run convert "$checkout" --type samples -o one.pb.gz
run top one.pb.gz --type cpu
expect '--type keeps one sample type' 2 "no sample type 'cpu'; there are: samples/count"
run top one.pb.gz -n 1
expect 'with all its samples' 0 'samples 613 in'
run convert "$checkout" -o all.otlp
run top all.otlp -n 1
expect 'a pprof has the same default type after a trip through OTLP' 0 'cpu 6.13 s'
run convert "$checkout" --type nonsense -o two.pb.gz
expect 'a type that is not there' 2 "no sample type 'nonsense'"
expect_not 'leaves no file' test -e two.pb.gz

# What is there stays until the new file is whole.
echo precious >keep.pb.gz
run convert missing.folded -o keep.pb.gz
expect 'a failed convert' 2
expect_that 'leaves the file that was there' grep -q precious keep.pb.gz
run convert a.folded -o keep.pb.gz
run convert keep.pb.gz -t folded
expect 'a good one replaces it' 0 '^main;b 2$'
ln -s keep.pb.gz link.pb.gz
run convert b.folded -o link.pb.gz
expect_that 'a link stays a link' test -L link.pb.gz
run top keep.pb.gz
expect 'and what it names is replaced' 0 'samples 43'
chmod 640 keep.pb.gz
run convert a.folded -o keep.pb.gz
expect_that 'permissions stay' sh -c '[ "$(stat -c %a keep.pb.gz)" = 640 ]'
run convert a.folded -t folded -o /dev/null
expect 'a device is written to directly' 0
run convert a.folded -o nowhere/a.pb.gz
expect 'a folder that is not there' 2 'nowhere/a.pb.gz: cannot create: No such file'
run convert a.pb.gz -o a.pb.gz
run convert a.pb.gz -t folded
expect 'the output may be the input' 0 '^main;b 2$'

if command -v script >/dev/null; then
	script -qec "'$VARVE' convert a.folded -t pprof" /dev/null >out 2>err </dev/null
	code=$?
	expect 'no binary to a terminal' 2 'pprof is not for a terminal; write it to a file with -o'
	script -qec "'$VARVE' convert a.pb.gz -t folded" /dev/null >out 2>err </dev/null
	code=$?
	expect 'but text' 0 'main;b 2'
else
	skip 'no binary to a terminal' 'no script(1)'
fi

run convert --list-formats
expect '--list-formats tells names, directions, extensions' 0 '^pprof +read +write .*\.pb\.gz' '^folded '

# A text format is read line by line: the input may be larger than the memory.
awk 'BEGIN { for (i = 0; i < 400000; i++) print "main;work;some_function_with_a_name;leaf" i % 10 " 1" }' >big.folded
run convert big.folded -t folded --max-memory 8M
expect 'a text of 17 MB passes through 8 MB' 0 'leaf9 40000$'
finish
