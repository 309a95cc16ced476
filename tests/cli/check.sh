#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve check: 0 valid, 1 problems, 2 could not be read.
. "$SOURCE_ROOT/tests/cli/lib.sh"
printf 'main;a 1\n' >a.folded
run convert a.folded -o a.pb.gz
run convert a.folded -o a.otlp

run check a.folded a.pb.gz a.otlp
expect 'what varve writes is valid' 0 'a.folded: folded: valid; 1 profile, 1 sample$' \
	'a.pb.gz: pprof: valid' 'a.otlp: otlp: valid'
gzip -dc a.pb.gz | head -c 40 >cut.pb
run check cut.pb
expect 'a broken file is a problem' 1 'cut.pb: problem: .*at byte [0-9]+' 'pprof: 1 problem'
run check missing.pb
expect 'a missing file could not be read' 2 'missing.pb: cannot open'
run check a.pb.gz missing.pb cut.pb
expect 'the worst answer counts, and all files are told' 2 'a.pb.gz: pprof: valid' 'cut.pb: problem'
# An OTLP message with a dictionary and nothing else.
printf '\022\004\052\002hi' >bad.otlp
run check bad.otlp -f otlp
expect 'OTLP is held against its rules, each with its path' 1 'bad.otlp: problem: resource_profiles: ' \
	'otlp: [0-9]+ problems?'

if command -v jq >/dev/null; then
	run check a.pb.gz cut.pb missing.pb --json
	jq -c '.[] | [.valid, (.problems | length), (.error != null)]' out >rows
	printf '[true,0,false]\n[false,1,false]\n[null,0,true]\n' >wanted
	expect_that '--json tells the same' cmp rows wanted
else
	skip '--json tells the same' 'no jq'
fi
finish
