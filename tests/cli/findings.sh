#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve findings: the text of a small profile, and all profiles of the test set, for which
# tests/query/findings/profiles.txt says what is in them. Prints precision and recall.
. "$SOURCE_ROOT/tests/cli/lib.sh"
set_of=$SOURCE_ROOT/tests/query/findings

cat >hot.folded <<'END'
main;serve;parse 700
main;load;parse 100
main;other 200
END

run findings hot.folded
expect 'share, bound, function and callers are printed' 0 \
	'^1\. One function uses most of the time: 80\.0%, at most 800$' '^   parse$' \
	'called by +700 +70\.0%  serve' ' +100 +10\.0%  load' "show it: varve flame --focus '\^\(\?:parse\)\\$'"

printf 'main;a 30\nmain;b 30\nmain;c 40\n' >calm.folded
run findings calm.folded
expect 'a profile without findings says how many rules were evaluated' 0 'no findings by [0-9]+ rules'

printf 'main;hot 12\nmain;b 1\n' >few.folded
run findings few.folded
expect 'few samples give no findings' 0 'no findings by'

printf 'main;hot 500\n' | run_in findings -
code=$(cat code)
expect 'stdin is read for -' 0 'One function uses most of the time: 100\.0%'

run findings hot.folded --invert
expect 'inverted stacks are refused' 2 'leave out --invert and --group'

run findings
expect 'a file is required' 2 'name a profile'

if command -v jq >/dev/null; then
	run findings hot.folded --json
	jq -r '.evaluation.findings[] | "\(.rule) \(.value) \(.path | join("/")) \(.focus)"' out >rows
	printf 'hot-function 800 main/serve/parse ^(?:parse)$\n' >wanted
	expect_that '--json has rule, value, path and filter' cmp rows wanted

	right=0 wrong=0 missed=0
	grep -Ev '^(#|$)' "$set_of/profiles.txt" >labels
	while read -r name rules; do
		run findings "$set_of/profiles/$name.pb.gz" --json
		jq -r '.evaluation.findings[].rule' out | sort -u >rows
		: >wanted
		for rule in $rules; do
			case $rule in
			-*) missed=$((missed + 1)) ;;
			!*) wrong=$((wrong + 1)) && echo "${rule#!}" >>wanted ;;
			*) right=$((right + 1)) && echo "$rule" >>wanted ;;
			esac
		done
		sort -o wanted wanted
		cmp -s rows wanted || {
			report 'not ok' "$name"
			diff wanted rows | sed 's/^/# /'
		}
	done <labels
	echo "# $(wc -l <labels) profiles: $right right, $wrong wrong, $missed missed"
	expect_that 'the findings of the test set are as stated' [ "$right" -gt 50 ]
else
	skip 'json' 'no jq'
fi
finish
