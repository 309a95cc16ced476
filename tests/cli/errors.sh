#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors of the command line: one line on stderr that says what to do, and exit code 2.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded

one_line() { [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q '^varve: ' err; }

run
expect 'without a command: help, exit code 2' 2 '^Commands:' 'varve flame app.pb.gz'
run --help
expect '--help lists the commands' 0 '^  convert ' '^  check '
run help top
expect 'help COMMAND shows examples and options' 0 '^Examples:' 'varve top app.pb.gz' '-n, --rows N' '\(default: 20\)'
run top --help
expect 'COMMAND --help shows the same' 0 '^Examples:'
run --version
expect '--version shows the build' 0 '^varve [0-9]+\.[0-9]+\.[0-9]+ \(.+, (gcc|clang) [0-9]+'
for c in flame top diff convert check; do
	run "$c" --help
	expect "$c --help works" 0 "^varve $c " '--max-memory SIZE'
	run "$c"
	expect "$c without a file reports the missing argument" 2 "^varve: $c: name .*see varve $c --help"
done

run tpo a.folded
expect 'a mistyped command: a suggestion' 2 "no command 'tpo'; did you mean varve top\?"
run a.folded
expect 'a file in place of a command' 2 "varve flame a.folded"
run top a.folded --srot total
expect 'a mistyped option: a suggestion' 2 'top: no option --srot; did you mean --sort\?'
run top a.folded --sort size
expect 'an invalid choice: all choices are listed' 2 '--sort takes one of: self, total; not .size.'
run convert a.folded -t pporf
expect 'a mistyped format: a suggestion' 2 "no format 'pporf'; did you mean pprof\?"
run convert a.folded
expect 'convert without a target' 2 'missing output format: -t FORMAT or -o FILE'
run convert a.folded -o a.unknown
expect 'a name without a known extension' 2 'a.unknown: unknown extension; choose a format with -t'

run top missing.pb.gz
expect 'a nonexistent file' 2 'varve: missing.pb.gz: cannot open: No such file'
expect_that 'is one line on stderr' one_line
mkdir dir
run top dir
expect 'a directory: a suggestion' 2 'dir: is a directory; name the profiles in it: dir/\*'
: >empty
run top empty
expect 'an empty file' 2 'varve: empty: is empty; expected a profile'
head -c 100 /dev/zero >zeros
run top zeros
expect 'bytes of no known format' 2 'varve: zeros: not a profile of a known format'
if [ "$(id -u)" != 0 ]; then
	printf 'a 1\n' >secret && chmod 0 secret
	run top secret
	expect 'an unreadable file' 2 'secret: cannot open: Permission denied'
else
	skip 'an unreadable file' 'root can read everything'
fi

run convert a.folded -o a.pb.gz
head -c 60 a.pb.gz >cut.pb.gz
run top cut.pb.gz
expect 'a truncated file: file, format and offset' 2 'varve: cut.pb.gz: .*at byte [0-9]+'
expect_that 'is one line on stderr' one_line
run convert cut.pb.gz -o out.pb.gz
expect 'a failed convert fails' 2
expect_not 'a failed convert leaves no file' test -e out.pb.gz
expect_that 'a failed convert leaves no temporary file' sh -c '! ls | grep -q varve-'

run top /dev/zero --max-memory 10M
expect 'more than --max-memory' 2 'does not fit into memory \(--max-memory is 10 MiB\)'
run top a.folded --max-memory 1K
expect 'a limit that is too small for any work' 2 'memory'

# With any limit a command succeeds or reports that memory is exhausted.
checkout=$SOURCE_ROOT/examples/checkout.pb.gz
for limit in 1K 40K 80K 160K 320K 500K 700K 1M 1500K 2M 3M 4M 64M; do
	for c in "top $checkout" "flame $checkout" "diff $checkout $checkout" "convert $checkout -t otlp" \
		"convert $checkout $checkout -t pprof" "check $checkout"; do
		# shellcheck disable=SC2086
		run $c --max-memory $limit
		case $code in
		0) ;;
		2) one_line && grep -q memory err || { report 'not ok' "$c with $limit" && continue 2; } ;;
		*) report 'not ok' "$c with $limit" && continue 2 ;;
		esac
	done
done
expect 'a small limit is an error, the largest limit is sufficient' 0

# Readers that close the pipe.
"$VARVE" top a.folded 2>err | true
expect_that 'a closed pipe: nothing on stderr' test ! -s err
"$VARVE" top a.folded >/dev/full 2>err
code=$?
expect 'a full disk is reported' 2 'cannot write to stdout: No space left on device'

# Escape sequences in names.
printf 'main;\033[31mred\033[0m;\342\200\256evil 5\n' >hostile.folded
for c in top flame; do
	run $c hostile.folded
	expect "$c: escapes in names are shown, not sent" 0 '␛\[31mred'
	expect_not "$c: no escape byte is left" grep -q "$(printf '\033')" out
done
run top "$(printf 'no\033[2Jsuch')"
expect 'escapes in file names are shown' 2 'no(␛|\?)\[2Jsuch: cannot open'
long=$(head -c 10000 /dev/zero | tr '\0' 'x')
printf 'main;%s 5\n' "$long" >long.folded
run flame long.folded
expect 'a name of 10 KB fits the window' 0 'xxx'
expect_that 'no line is longer than the window' sh -c '[ "$(wc -L <out)" -le 80 ]'

if command -v script >/dev/null; then
	cat >long.speedscope.json <<END
{"\$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[
{"name":"github.com/$long.Method","file":"/usr/src/$long/x.go"},{"name":"漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字","file":"y.go"}]},
"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":2,"samples":[[0],[1]],"weights":[1,1]}]}
END
	for columns in 40 80 120; do
		COLUMNS=$columns script -qec "'$VARVE' top long.speedscope.json" /dev/null </dev/null 2>err |
			tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' >out
		export columns
		expect_that "on a terminal a table fits $columns columns" sh -c \
			'grep -q Method out && [ "$(sed 1d out | wc -L)" -le $((columns > 52 ? columns : 52)) ]'
	done
else
	skip 'on a terminal a table fits' 'no script(1)'
fi

# Colour only if requested.
run flame a.folded
expect_not 'no colour without a terminal' grep -q "$(printf '\033')" out
run flame a.folded --color always
expect_that 'colour if requested' grep -q "$(printf '\033')\[48;5;" out
run flame a.folded --color never
expect_not 'no colour if disabled' grep -q "$(printf '\033')" out
finish
