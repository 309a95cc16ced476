# SPDX-License-Identifier: Apache-2.0
# Shared by the command tests. A test is
#
#	run top a.folded -n 1
#	expect 'the first row is the largest' 0 'self.*%.*main'
#
# `run` starts the real program ($VARVE) in the test's directory and saves its exit code and
# output; `expect` compares them with a code and any number of extended regular expressions, each
# of which must match stdout or stderr. A test ends with `finish`.
# shellcheck shell=sh disable=SC2034
set -u
unset NO_COLOR COLUMNS LC_ALL LC_CTYPE COLORTERM
export LANG=C.UTF-8 TERM=xterm-256color
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0
failed=0
code=0

run() {
	"$VARVE" "$@" >out 2>err </dev/null
	code=$?
}

# run with stdin: `printf ... | run_in top -`; results are in files, so a subshell works
run_in() {
	"$VARVE" "$@" >out 2>err
	echo $? >code
}

# Set $port to the first of COUNT unused ports below the range of ephemeral ports.
free_port() { # [count]
	port=$((10000 + $$ * 8 % 22000))
	while ports_taken "$port" $((port + ${1:-1} - 1)); do
		port=$((port + 8))
	done
}

ports_taken() { # first last
	for one in $(seq "$1" "$2"); do
		grep -Eq "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$one") " /proc/net/tcp /proc/net/tcp6 2>/dev/null && return 0
	done
	return 1
}

report() { # ok|'not ok' name
	number=$((number + 1))
	echo "$1 $number - $2"
	if [ "$1" = 'not ok' ]; then
		failed=1
		echo "# exit code $code"
		sed 's/^/# out: /' out | head -40
		sed 's/^/# err: /' err | head -10
	fi
}

expect() { # name code regex...
	name=$1
	wanted=$2
	shift 2
	if [ "$code" != "$wanted" ]; then
		report 'not ok' "$name (wanted exit code $wanted)"
		return
	fi
	for regex in "$@"; do
		if ! grep -Eq -e "$regex" out err; then
			report 'not ok' "$name (nothing matches: $regex)"
			return
		fi
	done
	report ok "$name"
}

# stdout must be exactly this text, and the exit code 0
expect_out() { # name text
	printf '%s\n' "$2" >wanted
	if [ "$code" = 0 ] && cmp -s out wanted; then
		report ok "$1"
	else
		report 'not ok' "$1"
		diff wanted out | sed 's/^/# /' | head -40
	fi
}

# any command that must succeed, or must fail (`expect_not`)
expect_that() { # name command...
	name=$1
	shift
	if "$@" >/dev/null 2>>err; then report ok "$name"; else report 'not ok' "$name"; fi
}
expect_not() {
	name=$1
	shift
	if "$@" >/dev/null 2>&1; then report 'not ok' "$name"; else report ok "$name"; fi
}

skip() { # name why
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

finish() {
	echo "1..$number"
	exit $failed
}
