#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# kill -9 at random times under load, $KILLS times (10): acknowledged data is stored, retries are
# stored once, the store is intact, and the next start is quick. With $SEALED, files are encrypted,
# and before each start there is a new master key: a rotation is killed, too.
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

# succeeds if each acknowledged number is a function with exactly one sample
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

# send spans one by one, with their number as trace id, and record the acknowledged ones
send_spans() {
	while curl -sf -o /dev/null -H 'content-type: application/json' "$URL/v1/traces" --data \
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"$(printf %032x "$next")\",\"spanId\":\"$(printf %016x "$next")\",\"name\":\"s\",\"startTimeUnixNano\":\"$(date +%s%N)\",\"attributes\":[{\"key\":\"number\",\"value\":{\"stringValue\":\"n$next\"}}]}]}]}]}"; do
		echo "$next" >>spans_acknowledged
		next=$((next + 1))
	done
}

# query the acknowledged spans, a hundred traces at a time, and report missing ones, and those whose
# attribute is not the one that was sent
spans_there() {
	[ -s acknowledged ] || return 0
	sort -n spans_acknowledged | xargs -n 100 | while read -r numbers; do
		# shellcheck disable=SC2086
		query=$(printf '&trace=%032x' $numbers)
		# shellcheck disable=SC2086
		wanted=$(echo $numbers | wc -w)
		found=$(curl -sf "$URL/api/v1/spans?type=cpu&n=1&from=now-1h$query" | jq .span_count)
		[ "$found" = "$wanted" ] || echo "# $found of $wanted spans" >>err
		found=$(curl -sf "$URL/api/v1/trace/otlp?${query#&}" |
			jq '[.resourceSpans[].scopeSpans[].spans[] | select(.attributes[0].value.stringValue ==
				"n" + (.traceId | ltrimstr("0") | sub("^0*"; "") | . as $hex | reduce ($hex | explode[]) as $c
				(0; . * 16 + (if $c > 96 then $c - 87 else $c - 48 end)) | tostring))] | length')
		[ "$found" = "$wanted" ] || echo "# attributes of $found of $wanted spans" >>err
	done
	! grep -q 'of .* spans' err
}

# send log records one by one, with their number as trace id, and record the acknowledged ones
send_logs() {
	number=$next
	while curl -sf -o /dev/null -H 'content-type: application/json' "$URL/v1/logs" --data \
		"{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"traceId\":\"$(printf %032x "$number")\",\"timeUnixNano\":\"$(date +%s%N)\",\"body\":{\"stringValue\":\"record $number is here\"}}]}]}]}"; do
		echo "$number" >>logs_acknowledged
		number=$((number + 1))
	done
}

# query the acknowledged records, a thousand at a time; each is there once
logs_there() {
	[ -s logs_acknowledged ] || return 0
	: >logs_found
	cursor=
	while :; do
		curl -sf "$URL/api/v1/logs?from=now-1h&to=now%2B1h&limit=1000${cursor:+&cursor=$cursor}" >logs.json || return 1
		jq -r '.logs[].text | split(" ")[1]' logs.json >>logs_found
		cursor=$(jq -r '.next // ""' logs.json)
		[ -n "$cursor" ] || break
	done
	sort logs_found >logs_kept
	sort logs_acknowledged >logs_wanted
	comm -23 logs_wanted logs_kept >logs_missing
	[ ! -s logs_missing ] && [ -z "$(uniq -d logs_kept)" ] && return 0
	echo "# $(wc -l <logs_missing) log records missing, $(uniq -d logs_kept | wc -l) twice" >>err
	return 1
}

new_key() {
	(umask 077 && { openssl rand -hex 32; [ ! -f keys ] || cat keys; } >keys.new)
	mv keys.new keys
}

# rotate to a new key, beside the server, and kill that at a random time
rotate_and_kill() {
	new_key
	"$VARVE" store rotate-key "$SCRATCH/data" --encrypt-key-file keys >rotated 2>&1 &
	rotation=$!
	sleep "0.0$(od -An -N2 -tu2 /dev/urandom | awk '{ print $1 % 3 }')"
	kill -KILL $rotation 2>/dev/null
	wait $rotation 2>/dev/null
}

if [ -n "${SEALED:-}" ]; then
	new_key
	KEY_FILE=$work/keys
fi
failures=0
round=0
: >spans_acknowledged
: >logs_acknowledged
while [ $round -lt "$kills" ]; do
	round=$((round + 1))
	if ! start_server; then
		failures=1
		break
	fi
	if ! all_there || ! spans_there || ! logs_there; then
		failures=$((failures + 1))
		sed 's/^/# /' err
	fi
	"$LOAD" -b "$base" -n $total -u acknowledged -c 16 -s 60 127.0.0.1 "$PORT" >/dev/null 2>&1 &
	sender=$!
	next=$((round * 1000))
	send_spans &
	span_sender=$!
	send_logs &
	log_sender=$!
	# 0.05 to 0.55 s
	sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%02d", 5 + $1 % 50 }')"
	[ -z "${SEALED:-}" ] || rotate_and_kill
	stop_server KILL
	wait $sender $span_sender $log_sender
	# no more keys than a ring takes
	[ -z "${SEALED:-}" ] || [ $((round % 20)) != 0 ] || {
		"$VARVE" store rotate-key "$SCRATCH/data" --encrypt-key-file keys >>rotated 2>&1 || failures=$((failures + 1))
		head -1 keys >keys.new && chmod 600 keys.new && mv keys.new keys
	}
done
expect_that "after each of $kills kills acknowledged data is stored once" [ $failures = 0 ]
expect_that 'some profiles were acknowledged' [ -s acknowledged ]
expect_that 'some spans were acknowledged' [ -s spans_acknowledged ]
expect_that 'some log records were acknowledged' [ -s logs_acknowledged ]

run store check "$SCRATCH/data" ${KEY_FILE:+--encrypt-key-file "$KEY_FILE"}
expect 'the store is intact' 0
if [ -n "${SEALED:-}" ]; then
	run store rotate-key "$SCRATCH/data" --encrypt-key-file keys
	expect 'a rotation that was killed can be finished' 0 ' 0 failed, 0 not'
	head -1 keys >keys.new && chmod 600 keys.new && mv keys.new keys
	expect_that 'nothing is readable' [ -z "$(grep -rlaE 'service0|service_name|n[0-9]{6}' "$SCRATCH/data")" ]
fi
start_server
"$LOAD" -b "$base" -n $total -u acknowledged -c 16 -s 600 127.0.0.1 "$PORT" >out 2>err
code=$?
expect 'the remaining profiles can be sent' 0
expect_that 'all profiles are stored once' all_there
expect_that 'all acknowledged spans are stored' spans_there
expect_that 'all acknowledged log records are stored once' logs_there
expect_that 'no profile is acknowledged twice' [ "$(sort -u acknowledged | wc -l)" = "$total" ]
expect_that 'the server ends on SIGTERM' stop_server
run store check "$SCRATCH/data" ${KEY_FILE:+--encrypt-key-file "$KEY_FILE"}
expect 'the store is intact afterwards' 0
finish
