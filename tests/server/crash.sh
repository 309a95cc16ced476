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
base=$(date +%s)
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

# spans, one after the other: the number is the trace id; each that was acknowledged is noted
send_spans() {
	while curl -sf -o /dev/null -H 'content-type: application/json' "$URL/v1/traces" --data \
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"$(printf %032x "$next")\",\"spanId\":\"$(printf %016x "$next")\",\"name\":\"s\",\"startTimeUnixNano\":\"$(date +%s%N)\"}]}]}]}"; do
		echo "$next" >>spans_acknowledged
		next=$((next + 1))
	done
}

# asked for by a hundred traces at a time, all of them are told
spans_there() {
	[ -s acknowledged ] || return 0
	sort -n spans_acknowledged | xargs -n 100 | while read -r numbers; do
		# shellcheck disable=SC2086
		query=$(printf '&trace=%032x' $numbers)
		# shellcheck disable=SC2086
		wanted=$(echo $numbers | wc -w)
		found=$(curl -sf "$URL/api/v1/spans?type=cpu&n=1&from=now-1h$query" | jq .span_count)
		[ "$found" = "$wanted" ] || echo "# $found of $wanted spans" >>err
	done
	! grep -q 'of .* spans' err
}

failures=0
round=0
: >spans_acknowledged
while [ $round -lt "$kills" ]; do
	round=$((round + 1))
	if ! start_server; then
		failures=1
		break
	fi
	if ! all_there || ! spans_there; then
		failures=$((failures + 1))
		sed 's/^/# /' err
	fi
	"$LOAD" -b "$base" -n $total -u acknowledged -c 16 -s 60 127.0.0.1 "$PORT" >/dev/null 2>&1 &
	sender=$!
	next=$((round * 1000))
	send_spans &
	span_sender=$!
	# between 0.05 and 0.55 s
	sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%02d", 5 + $1 % 50 }')"
	stop_server KILL
	wait $sender $span_sender
done
expect_that "after each of $kills kills all that was acknowledged is there, once" [ $failures = 0 ]
expect_that 'and something was' [ -s acknowledged ]
expect_that 'spans among it' [ -s spans_acknowledged ]

run store check "$SCRATCH/data"
expect 'the store is whole' 0
start_server
"$LOAD" -b "$base" -n $total -u acknowledged -c 16 -s 600 127.0.0.1 "$PORT" >out 2>err
code=$?
expect 'the rest can be sent' 0
expect_that 'and all of it is there, once' all_there
expect_that 'and every span' spans_there
expect_that 'nothing is acknowledged twice' [ "$(sort -u acknowledged | wc -l)" = "$total" ]
expect_that 'it ends when asked to' stop_server
run store check "$SCRATCH/data"
expect 'and leaves a whole store' 0
finish
