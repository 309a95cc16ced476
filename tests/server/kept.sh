#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# A repeated query over a selection uses the kept result of the first one, until its data changes.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

upload() { # seconds, folded stacks
	printf '%s\n' "$2" >one.folded
	curl -s -o out "$URL/api/v1/upload?service=a&time=$1" --data-binary @one.folded 2>err
}
flame() { # more parameters
	curl -s "$URL/api/v1/flame?query=a&from=$from&to=$to$1" >out 2>err
}
metric() { curl -s "$URL/metrics" | awk -v name="$1" '$1 == name { print $2 }'; }
hits() { metric 'varve_query_kept_hits_total{kind="tree"}'; }
total() { jq .total out; }

from=$(($(date +%s) - 7200))
to=$((from + 3600))
start_server
upload $from 'main;work 5'
flame ''
expect_that 'the first query is computed' [ "$(total) $(hits)" = '5 0' ]
as_of=$(jq -r .as_of out)
flame '&max_nodes=1'
expect_that 'a query for fewer nodes uses the kept result' [ "$(total) $(hits)" = '5 1' ]
flame '&path=main'
expect_that 'a zoom uses the kept result' [ "$(total) $(hits)" = '5 2' ]
expect_that 'a metric has the memory of kept results' [ "$(metric varve_query_kept_bytes)" -gt 0 ]
upload $((from + 60)) 'main;more 2'
flame "&as_of=$as_of"
expect_that 'a query with as_of returns the old version' [ "$(total) $(hits)" = '5 3' ]
flame ''
expect_that 'the next result includes new data' [ "$(total) $(hits)" = '7 3' ]
curl -s -o out -X DELETE "$URL/api/v1/data?query=a&from=$from&to=$((from + 1))" 2>err
flame ''
expect_that 'the next result excludes deleted data' [ "$(total) $(hits)" = '2 3' ]
stop_server
finish
