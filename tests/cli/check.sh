#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve check: exit codes 0 valid, 1 problems, 2 unreadable.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 1\n' >a.folded
run convert a.folded -o a.pb.gz
run convert a.folded -o a.otlp

run check a.folded a.pb.gz a.otlp
expect 'files written by varve are valid' 0 'a.folded: folded: valid; 1 profile, 1 sample$' \
	'a.pb.gz: pprof: valid' 'a.otlp: otlp: valid'
gzip -dc a.pb.gz | head -c 40 >cut.pb
run check cut.pb
expect 'an invalid file is a problem' 1 'cut.pb: problem: .*at byte [0-9]+' 'pprof: 1 problem'
run check missing.pb
expect 'a missing file cannot be read' 2 'missing.pb: cannot open'
run check a.pb.gz missing.pb cut.pb
expect 'the exit code is the worst result, and all files are reported' 2 'a.pb.gz: pprof: valid' 'cut.pb: problem'
# An OTLP message that has only a dictionary.
printf '\022\004\052\002hi' >bad.otlp
run check bad.otlp -f otlp
expect 'OTLP is checked against its rules, each reported with its path' 1 'bad.otlp: problem: resource_profiles: ' \
	'otlp: [0-9]+ problems?'

if command -v jq >/dev/null; then
	run check a.pb.gz cut.pb missing.pb --json
	jq -c '.[] | [.valid, (.problems | length), (.error != null)]' out >rows
	printf '[true,0,false]\n[false,1,false]\n[null,0,true]\n' >wanted
	expect_that '--json reports the same' cmp rows wanted
else
	skip '--json reports the same' 'no jq'
fi
finish
