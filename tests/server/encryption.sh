#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# A server with --encrypt-key-file: nothing in its directory is readable, wrong and lost keys change
# nothing, damaged and moved blocks are reported, keys are rotated while it runs.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
# shellcheck source=tests/server/collectors.sh
. "$SOURCE_ROOT/tests/server/collectors.sh"
data=$work/data
: >out
: >err

make_key() { (umask 077 && openssl rand -hex 32 >"$1"); }

# send profiles and spans with names that are searched for later
send() { # number
	i=0
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		printf 'planted_main;planted_function_%d %d\n' $i $i
	done >planted.folded
	curl -sf -o /dev/null "$URL/api/v1/upload?service=planted_service&planted_label=planted_value" \
		--data-binary @planted.folded
	# a line of the audit log
	curl -sf -o /dev/null -X DELETE "$URL/api/v1/data?query=planted_nobody&before=now"
	curl -sf -o /dev/null -H 'content-type: application/json' "$URL/v1/traces" --data \
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"$(printf %032x 77)\",\"spanId\":\"$(printf %016x "$1")\",\"name\":\"planted_span\",\"startTimeUnixNano\":\"$(date +%s%N)\"}]}]}]}"
}

total() { curl -sf "$URL/api/v1/flame?query=planted_service&from=now-1h&to=now%2B1h" | jq -r .total; }
readable() { grep -rlaE 'planted|service_name|process_cpu|__profile_type__' "$data" 2>/dev/null; }
state_of_data() { (cd "$data" && find . -type f ! -name lock | sort | xargs sha256sum); }
day() { find "$data" -name '20*.db'; }

# ---- the search finds names in a directory that is not encrypted ----
start_server
send 5
stop_server KILL # so that there is a write-ahead log
expect_that 'without a key, names are readable' [ -n "$(readable)" ]
expect_that 'also those in the audit log' grep -q planted_nobody "$data/audit.log"
mv "$data/audit.log" clear.log
rm -rf "$data"

# ---- nothing is readable ----
make_key keys
KEY_FILE=$work/keys
start_server
send 200
sum=$(total)
expect_that 'the data can be queried' [ "$sum" = 20100 ]
expect_that 'there is a write-ahead log' [ -n "$(find "$data" -name '*.db-wal' -size +4k)" ]
expect_that 'nothing is readable while the server runs' [ -z "$(readable)" ]
stop_server KILL
expect_that 'nothing is readable after a crash' [ -z "$(readable)" ]
expect_that 'no file is a database in clear' [ -z "$(grep -rla 'SQLite format' "$data")" ]
run store check "$data" --encrypt-key-file keys
expect 'the directory is clean' 0 '^clean; 1 partitions'
run audit "$data/audit.log"
expect 'the audit log needs the key' 2 'audit.log: .*is encrypted with the key'
run audit "$data/audit.log" --encrypt-key-file keys
expect 'with it, the audit log is checked' 0 '^2 lines are intact'
run audit "$data/audit.log" --encrypt-key-file keys --print
expect 'and printed' 0 '"action":"data.delete","object":"planted_nobody","tenant":"","result":"done"'

# ---- an audit log in clear ----
truncate -s -9 "$data/audit.log" # as by a crash
start_server
stop_server KILL
cp "$data/audit.log" sealed.log
run audit sealed.log --encrypt-key-file keys --print
expect 'a line that was cut off is removed' 0 '"action":"audit.repaired"'
cp clear.log "$data/audit.log"
start_server
curl -sf -o /dev/null -X DELETE "$URL/api/v1/data?query=planted_nobody&before=now"
stop_server KILL
run audit "$data"/audit.log.2 "$data/audit.log" --encrypt-key-file keys
expect 'an audit log in clear is continued by an encrypted one' 0 '^4 lines are intact'
expect_that 'what was in clear stays so' cmp -s clear.log "$data/audit.log.2"
rm "$data/audit.log.2"
expect_that 'the new file is not readable' [ -z "$(readable)" ]
cp sealed.log "$data/audit.log"

# ---- keys that are missing ----
before=$(state_of_data)
run store check "$data"
expect 'without a key the reason is given' 2 'is encrypted with the key [0-9a-f]{16}' 'encrypt-key-file'
make_key other
run store stats "$data" --encrypt-key-file other
expect 'a wrong key is not taken for damage' 2 'which other does not have'
for file in other missing; do
	"$VARVE" server --data "$data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 \
		--encrypt-key-file $file >out 2>err
	code=$?
	expect "a server does not start with the key file $file" 2 "$file"
done
"$VARVE" server --data "$data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 >out 2>err
code=$?
expect 'nor without one' 2 'name the key file'
expect_that 'wrong and missing keys change nothing' [ "$(state_of_data)" = "$before" ]
chmod 644 keys
run store check "$data" --encrypt-key-file keys
expect 'a key that others can read is refused' 2 'chmod 600'
chmod 600 keys
printf 'abc\n' >short
chmod 600 short
run store keys short
expect 'a key of another length is refused' 2 'line 1: expected a key of 32 bytes'

# ---- other forms of the key ----
(umask 077 && openssl rand 32 >raw && openssl base64 -A <raw >base64 && od -An -v -tx1 raw | tr -d ' \n' >hex)
for form in raw base64 hex; do
	run store keys $form
	cp out id.$form
done
expect_that 'a key is the same in all forms' [ "$(sort -u id.raw id.base64 id.hex | grep -c current)" = 1 ]
(umask 077 && mkdir ring && cp other ring/1.key && cp keys ring/2.key)
run store check "$data" --encrypt-key-file ring
expect 'a directory of keys is accepted' 0 '^clean'

# ---- rotation while the server runs ----
start_server
send 3
old=$("$VARVE" store keys keys | sed 's/ .*//')
(umask 077 && cat other keys >both) && mv both keys
run store rotate-key "$data" --encrypt-key-file keys
expect 'keys are rotated while the server runs' 0 'files rotated, 0 had it, 0 failed'
expect_that 'the old key is in no file' [ -z "$(LC_ALL=C grep -rlaP "$(printf %s "$old" | sed 's/../\\x&/g')" "$data")" ]
cp -p other keys # the old key is gone
send 4
expect_that 'the server accepts data and answers queries' [ "$(total)" = 20116 ]
run store rotate-key "$data" --encrypt-key-file keys
expect 'a rotation is not repeated' 0 ': 0 files rotated'
stop_server
start_server
expect_that 'the next server needs only the new key' [ "$(total)" = 20116 ]
stop_server
run store check "$data" --encrypt-key-file keys
expect 'the directory is clean after the rotation' 0 '^clean'

# ---- damage ----
cp -a "$data" intact
flip() { # file offset
	byte=$(od -An -tu1 -j "$2" -N1 "$1")
	printf '%b' "\\0$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
restore() {
	rm -rf "$data"
	cp -a intact "$data"
}
db=$(day)
size=$(wc -c <"$db")
wrong=0
for offset in 5000 8191 8192 $((size / 2)) $((size - 1)) 100 620; do
	flip "$db" "$offset"
	run store check "$data" --encrypt-key-file keys
	case "$offset $code" in
	100\ 0 | 620\ 0) ;;      # one of two copies of the key block
	*\ 1) ;;                 # reported as damage
	*) wrong=$((wrong + 1)) && echo "# offset $offset: $code" ;;
	esac
	restore
done
expect_that 'a flipped bit of a page is reported' [ $wrong = 0 ]
flip "$db" 100
flip "$db" 612
run store check "$data" --encrypt-key-file keys
expect 'a key block with two damaged copies is reported' 1 'key block is damaged'
restore
dd if="$db" of=page bs=4096 skip=3 count=1 2>/dev/null
dd if=page of="$db" bs=4096 seek=4 conv=notrunc 2>/dev/null
run store check "$data" --encrypt-key-file keys
expect 'a page that was moved within its file is refused' 1 'page 4 is damaged, or not of this file'
restore
dd if="$data/catalog.db" of="$db" bs=4096 skip=1 seek=1 count=1 conv=notrunc 2>/dev/null
run store check "$data" --encrypt-key-file keys
expect 'a page of another file is refused' 1
restore
flip "$db" 5000
start_server
total >/dev/null
expect_that 'a server sets a damaged day aside' [ -n "$(find "$data" -name '*.damaged')" ]
expect_that 'and reports it' grep -q 'a partition is damaged' server.log
stop_server

# ---- a torn write-ahead log ----
rm -rf "$data"
start_server
send 10
stop_server KILL
wal=$(find "$data" -name '20*.db-wal')
truncate -s -1000 "$wal"
run store check "$data" --encrypt-key-file keys
expect 'a torn write-ahead log ends at its last commit' 0 '^clean'
flip "$wal" $((64 + 4152 + 1000))
start_server
expect_that 'a damaged frame of the log is reported' grep -q 'write-ahead log ends at a frame' server.log
stop_server

# ---- bodies that senders encrypt ----
rm -rf "$data"
(umask 077 && openssl rand -hex 32 >sender)
start_server --sender-key-file sender
printf 'planted_main;planted_function 5\n' >sent.folded
"$VARVE" convert sent.folded -o sent.pb.gz
"$VARVE" encrypt sent.folded --key-file sender -o sent.sealed
"$VARVE" encrypt sent.folded --key-file sender --base64 -o sent.text
"$VARVE" encrypt sent.folded --key-file other -o sent.other
ingest() { # name file [header]
	status=$(curl -s -o out -w '%{http_code}' "$URL/ingest?name=$1&from=$(date +%s)&until=$(date +%s)&format=folded" \
		--data-binary "@$2" ${3:+-H "$3"})
}
service() { curl -sf "$URL/api/v1/flame?query=$1&from=now-1h&to=now%2B1h" | jq -r .total; }
ingest in_binary sent.sealed 'Varve-Sealed: aes-256-gcm'
expect_that '/ingest opens a body' [ "$status $(service in_binary)" = '200 50000000' ]
ingest in_unmarked sent.sealed
expect_that 'also without the header' [ "$status $(service in_unmarked)" = '200 50000000' ]
ingest in_text sent.text 'Varve-Sealed: aes-256-gcm'
expect_that 'and as text' [ "$status $(service in_text)" = '200 50000000' ]
ingest in_other sent.other 'Varve-Sealed: aes-256-gcm'
expect_that 'another key is refused' [ "$status" = 422 ] || [ "$status" = 400 ]
expect_that 'with a reason that names no file' grep -q 'a key that this receiver does not have' out
flip sent.sealed 130
ingest in_damaged sent.sealed 'Varve-Sealed: aes-256-gcm'
expect_that 'a damaged body is refused' [ "$status" != 200 ]
printf '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"s","startTimeUnixNano":"%s"}]}]}]}' \
	99 98 "$(date +%s%N)" | gzip >trace.gz
"$VARVE" encrypt trace.gz --key-file sender
status=$(curl -s -o out -w '%{http_code}' "$URL/v1/traces" -H 'content-type: application/json' -H 'content-encoding: gzip' \
	-H 'Varve-Sealed: aes-256-gcm' --data-binary @trace.gz.sealed)
expect_that 'OTLP over HTTP opens a body, and decompresses it' [ "$status" = 200 ]
found=$(curl -sf "$URL/api/v1/spans?type=cpu&n=1&from=now-1h&trace=$(printf %032x 99)" | jq .span_count)
expect_that 'the span is stored' [ "$found" = 1 ]
"$VARVE" encrypt sent.pb.gz --key-file sender
run push sent.pb.gz.sealed --url "$URL" --service pushed --key-file sender
expect 'push opens a file' 0 'stored'
run push sent.pb.gz.sealed --url "$URL" --service pushed_sealed
expect 'without a key it sends the file encrypted' 0 'stored'
expect_that 'and the server opens it' [ "$(service pushed_sealed)" = "$(service pushed)" ]
run push sent.text --url "$URL" --service pushed_text --format folded
expect 'text needs the key' 2
run push sent.other --url "$URL" --service pushed_other
expect 'an upload with another key is refused' 2 'a key that this receiver does not have'
stop_server
start_server
ingest none sent.other 'Varve-Sealed: aes-256-gcm'
expect_that 'a receiver without keys says so' grep -q 'sender_key_file' out
stop_server

# ---- a collector with a journal and a queue on disk ----
cat >sink.yaml <<'EOF'
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
exporters: {file: {path: sink.out}}
service: {pipelines: {logs: {receivers: [otlp], exporters: [file]}}}
EOF
cat >front.yaml <<'EOF'
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
processors: {batch: {timeout: 100ms}}
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:1
    compression: none
    sending_queue: {storage: file_storage}
    retry_on_failure: {initial_interval: 100ms, max_interval: 200ms, max_elapsed_time: 0}
extensions: {file_storage: {directory: queues, create_directory: true}}
service:
  extensions: [file_storage]
  pipelines: {logs: {receivers: [otlp], processors: [batch], exporters: [otlphttp]}}
EOF
log_line() {
	curl -s -o out -w '%{http_code}' "http://$1/v1/logs" -H 'content-type: application/json' -H 'x-planted: planted_header' --data \
		"{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"1\",\"body\":{\"stringValue\":\"planted_$2\"}}]}]}]}"
}
arrived() { grep -q "planted_$1" sink.out; }
wait_for() {
	tries=300
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

NAME=front start_collector --config front.yaml # in clear
expect_that 'a collector accepts data' [ "$(log_line "$(collector_address 1)" plain)" = 200 ]
wait_for grep -rqa planted_plain queues
expect_that 'without a key, queues are readable' grep -rqa planted_plain queues
kill -KILL $COLLECTOR
wait $COLLECTOR 2>/dev/null
NAME=front start_collector --config front.yaml --encrypt-key-file keys
expect_that 'with a key, a collector accepts data' [ "$(log_line "$(collector_address 1)" sealed)" = 200 ]
sleep 0.5
expect_that 'new data in queues is not readable' [ -z "$(grep -rlaE 'planted_sealed' queues)" ]
kill -KILL $COLLECTOR
wait $COLLECTOR 2>/dev/null
expect_that 'nor after a crash' [ -z "$(grep -rlaE 'planted_sealed' queues)" ]
before=$(find queues -name '*.queue' -exec sha256sum {} + | sort)
"$VARVE" collector --config front.yaml >out 2>err
code=$?
expect 'queues do not open without their key' 2 'is encrypted with the key'
"$VARVE" collector --config front.yaml --encrypt-key-file sender >out 2>err
code=$?
expect 'nor with another one' 2 'which sender does not have'
expect_that 'and are unchanged' [ "$(find queues -name '*.queue' -exec sha256sum {} + | sort)" = "$before" ]
(umask 077 && { openssl rand -hex 32 && cat keys; } >both) && mv both keys
run store rotate-key queues --encrypt-key-file keys
expect 'the key of queues is rotated' 0 ' files rotated, 0 had it, 0 failed'
head -1 keys >new && chmod 600 new && mv new keys
NAME=sink start_collector --config sink.yaml
sink=$COLLECTOR
address=$(collector_address 1)
NAME=front start_collector --config front.yaml --encrypt-key-file keys --set exporters::otlphttp::endpoint="http://$address"
expect_that 'what was queued in clear arrives' wait_for arrived plain
expect_that 'what was queued encrypted arrives' wait_for arrived sealed
kill $COLLECTOR
wait $COLLECTOR
kill $sink
wait $sink
finish
