#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve push, query, diff --baseline and delete, against a server.
. "$SOURCE_ROOT/tests/cli/lib.sh"

mkfifo alive
"$QUERY_SERVER" <alive >port 2>server.err &
exec 3>alive # the server exits when this is closed
while [ ! -s port ]; do sleep 0.05; done
VARVE_URL=http://127.0.0.1:$(cat port)
export VARVE_URL

cat >before.folded <<'END'
main;work 30
main;idle 10
END
cat >after.folded <<'END'
main;work 50
main;idle 10
main;new 5
END

run push before.folded --service shop --label commit=abc --time now-10m
expect 'a file is pushed' 0 'before.folded: stored 2 samples of 1 series'
run push after.folded --service shop --label commit=def --time now-5m
expect 'another file is pushed' 0 '3 samples'
run push missing.folded --service shop
expect 'a nonexistent file' 2 'missing.folded'

run query top 'shop{commit="def"}' -n 1
expect 'top of a selection' 0 'shop\{commit="def"\}' 'work' '1 of 4 rows'
run query top shop --exact --focus 'work|new'
expect 'top of a whole service, filtered' 0 ' 80 ' 'the filters keep'
run query top shop --json
expect 'the JSON is that of file commands' 0 '"row_count": 4'
run query findings shop
expect 'findings of all types of a service' 0 'shop: samples 105' 'One function uses most of the time: 76\.2%' 'called by +80 +76\.2%  main'
run query findings shop --type samples --json
expect 'findings of one type as JSON' 0 '"rule": "hot-function"' '"value": 80'
run query findings nobody
expect 'findings of a service without data' 0 'no profiles that rules apply to'
run query flame shop -w 60
expect 'a flame graph' 0 'main' 'work'
run query flame shop -o out.pb.gz
expect 'a profile into a file' 0
run top out.pb.gz -n 1
expect 'the written profile can be read' 0 'work'
run query profile shop -f folded
expect 'a profile in another format to stdout' 0 '^main;work 80' '^main;new 5'
run query top shop --span 00000000000000aa --children
expect 'an unknown span, with its descendants' 0 'warning: no spans of this trace are stored'
run query top shop --span 00aa
expect 'a span id of the wrong length' 2 '16 hex digits'
run query series shop --by commit --step 1m
expect 'series by label' 0 'commit=abc' 'commit=def'
run query top shop --by commit
expect 'an option of another query' 2 'are for series' '--group'
run query series shop --name commit
expect 'another option of another query' 2 '--name is for labels'
run query labels
expect 'label names' 0 '^commit$' '^service_name$'
run query labels shop --name commit
expect_out 'label values' 'abc
def'
run query types
expect 'profile types' 0 '^[a-z_]*:[a-z_]*:.*:.*:'
run query services
expect 'services' 0 '^shop$'
run query services --json
expect 'services as JSON' 0 '"services":\[\{"name":"shop"'

run diff --baseline 'shop{commit="abc"}' --comparison 'shop{commit="def"}' --time-range 1h
expect 'a diff of two selections' 0 'work' '66.7%' 'new'
run diff --baseline 'shop{commit=abc}' --comparison 'shop{commit=def}' --time-range 1h
expect 'values need no quotes' 0 'new' '\+5'
run query top 'shop{commit=}'
expect 'a value is required' 2 'expected a value, in quotes if it has spaces'
run diff --baseline 'shop{commit="abc"}' --comparison 'shop{commit="def"}' --baseline-from now-30d --baseline-to now-29d
expect 'the baseline has its own time range' 2 'no data for this selection'
run diff --baseline 'shop{commit="abc"}' --comparison 'shop{commit="def"}' --comparison-from now-1h --comparison-to now
expect 'the comparison has its own time range' 0 'work' '66.7%'
run diff --baseline shop --comparison shop --json
expect 'equal selections do not differ' 0 '"rows": \[\]'
run diff before.folded after.folded --baseline-from now-1h
expect 'files have no time range' 2 'require --baseline'
run diff --baseline shop
expect 'one side is not enough' 2 'baseline'

run query top nobody
expect 'no data' 2 'no data for this selection'
run query top 'shop{'
expect 'an invalid selector' 2 'query: '
run query nonsense
expect 'an invalid query' 2 'top, flame'
run query top shop --from yesterday
expect 'an invalid time' 2 'from: expected a time'
run query top shop --url http://127.0.0.1:1
expect 'no server: the error says what to do' 2 'no server answers at http://127.0.0.1:1: start one with varve up'

run delete shop
expect 'nothing is deleted without a time' 2 'before'
run delete 'shop{commit="abc"}' --before now
expect 'the selected profiles are deleted' 0 '1 profiles deleted'
run query top shop --exact
expect 'deleted profiles are not returned' 0 '50'

exec 3>&-
wait
finish
