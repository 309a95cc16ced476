#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# kill -9 at random moments under load, $KILLS times (10): what was acknowledged is there, what is sent again is there once,
# the store is whole, and the next start is quick.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
kills=${KILLS:-10}
total=$((kills * 400))
: >acknowledged
: >out
: >err

# each number that is acknowledged is a function that was seen exactly once
all_there() {
	[ -s acknowledged ] || return 0
	"$VARVE" query top service0 --url "$URL" --from now-1h --to now+1h --type cpu -n 0 --json >top.json || return 1
	jq -r '.rows[] | select(.self != 1) | .name' top.json >not_once
	jq -r '.rows[].name' top.json | sed 's/^n//' | sort >kept
	sort acknowledged >wanted
	comm -23 wanted kept >missing
	if [ -s not_once ] || [ -s missing ]; then
		echo "# $(wc -l <missing) missing, $(wc -l <not_once) not once, of $(wc -l <wanted)" >>err
		return 1
	fi
}

failures=0
round=0
while [ $round -lt "$kills" ]; do
	round=$((round + 1))
	if ! start_server; then
		failures=1
		break
	fi
	if ! all_there; then
		failures=$((failures + 1))
		sed 's/^/# /' err
	fi
	"$LOAD" -n $total -u acknowledged -c 16 -s 60 127.0.0.1 "$PORT" >/dev/null 2>&1 &
	sender=$!
	# between 0.05 and 0.55 s
	sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%02d", 5 + $1 % 50 }')"
	stop_server KILL
	wait $sender
done
expect_that "after each of $kills kills all that was acknowledged is there, once" [ $failures = 0 ]
expect_that 'and something was' [ -s acknowledged ]

run store check "$SCRATCH/data"
expect 'the store is whole' 0
start_server
"$LOAD" -n $total -u acknowledged -c 16 -s 60 127.0.0.1 "$PORT" >out 2>err
code=$?
expect 'the rest can be sent' 0
expect_that 'and all of it is there, once' all_there
expect_that 'nothing is acknowledged twice' [ "$(sort -u acknowledged | wc -l)" = "$total" ]
expect_that 'it ends when asked to' stop_server
run store check "$SCRATCH/data"
expect 'and leaves a whole store' 0
finish
