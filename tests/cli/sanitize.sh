#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # for sh -c
# varve sanitize: each format, requests of other signals, --dry-run, and rules from a file.
. "$SOURCE_ROOT/tests/cli/lib.sh"
token=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
printf 'main;call_%s 10\nmain;ok 5\n' $token >a.folded

run sanitize a.folded -o clean.folded
expect 'a profile, with the number of findings' 0 '1 finding replaced'
expect_that 'the secret is replaced' grep -qx 'main;call_\[REDACTED_SECRET\] 10' clean.folded
expect_that 'the rest stays' grep -qx 'main;ok 5' clean.folded
run sanitize clean.folded -o again.folded
expect_that 'a clean file stays as it is' cmp clean.folded again.folded

for format in pprof pprof-raw otlp otlp-json speedscope cpuprofile; do
	"$VARVE" convert a.folded -t $format -o "a.$format" 2>err
	run sanitize "a.$format" -t folded
	expect "from $format" 0 '^main;call_\[REDACTED_SECRET\] 10(000)?$'
	run sanitize "a.$format" -t $format -o "clean.$format"
	"$VARVE" convert "clean.$format" -t folded >out 2>err
	code=$?
	expect "to $format" 0 '^main;call_\[REDACTED_SECRET\] 10(000)?$'
	expect_not "no secret in $format" grep -aq zQWBuTSOo "clean.$format"
done
run sanitize "$SOURCE_ROOT/examples/checkout.pb.gz" --dry-run
expect 'a real profile has no findings' 0 ': 0 findings$'

run sanitize a.folded --dry-run
expect '--dry-run shows rule and place, and exits with 1' 1 '1 finding$' '1 +github-token +functions +gh\*+ \(40 bytes\)'
expect_not '--dry-run does not show the secret' grep -q 'zQWB' out
run sanitize a.folded -n -o never.folded
expect_not '--dry-run writes no file' test -e never.folded

cat >l.json <<'END'
{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1700000000000000000","body":{"stringValue":"login password=hunter2 by bob@example.com from 192.168.7.9"},"attributes":[{"key":"db.password","value":{"stringValue":"abc"}},{"key":"customer","value":{"stringValue":"CUST-1234"}}]}]}]}]}
END
run sanitize l.json
expect 'a request of logs in JSON' 0 'login password=\[REDACTED_SECRET\] by \[REDACTED_EMAIL\] from 192' '"db.password","value":\{"stringValue":"\[REDACTED_SECRET\]"' 'CUST-1234'
run_in sanitize - <l.json
code=$(cat code)
expect 'a request from stdin' 0 'password=\[REDACTED_SECRET\]'
cat l.json l.json >lines.json
gzip -k lines.json
run sanitize lines.json.gz
expect_that 'messages on lines, compressed' sh -c '[ "$(grep -c "REDACTED_EMAIL" out)" = 2 ]'
printf 'garbage\n' >>lines.json
run sanitize lines.json
expect 'a line that is no message is an error with its number' 2 'lines.json: line 3 is no OTLP request'
run sanitize l.json --no-email --ip
expect '--no-email and --ip' 0 'by bob@example.com from \[REDACTED_IP\]'
run sanitize l.json -n
expect '--dry-run of a request shows keys' 1 'secret-attribute +values +db.password' 'email +bodies'
expect_not 'and no text' grep -Eq 'hunter2|example.com' out

cat >rules.yaml <<'END'
email: false
rules:
  - {name: customer, pattern: 'CUST-\d+', where: [values]}
  - {name: login, pattern: '^login', where: [bodies], action: drop}
END
run sanitize l.json --rules rules.yaml
expect 'rules from a file' 0 '\[REDACTED_CUSTOMER\]'
expect_not 'the action drop removes a body' grep -q 'login' out
printf 'rules: [{name: x, pattern: "("}]\n' >rules.yaml
run sanitize l.json --rules rules.yaml
expect 'an invalid rule is an error with its place' 2 'rules.yaml:1:[0-9]+: rules: invalid regular expression'
printf '0123456789abcdef0123\n' >key
printf 'hash_key_file: key\nrules: [{name: customer, pattern: "CUST-\\\\d+", action: hash}]\n' >rules.yaml
run sanitize l.json --rules rules.yaml
expect 'hashes' 0 '"h1_[a-z2-7]{26}"'
cp out first
run sanitize l.json --rules rules.yaml
expect_that 'hashes are the same each time' cmp first out

run config show up
expect 'varve up sanitizes' 0 '^ +- "?sanitize"?$'
run config show up --no-sanitize
expect 'unless --no-sanitize is given, without a warning' 0 '^ +- "?memory_limiter"?$'
expect_not 'then no pipeline has the processor' grep -q sanitize out err

run sanitize
expect 'a missing file is an error' 2 'name one file'
run sanitize nosuch.pb.gz
expect 'a file that does not exist' 2 'nosuch.pb.gz: cannot open'
printf 'x' >garbage
run sanitize garbage
expect 'a file of no known format' 2 'garbage'
finish
