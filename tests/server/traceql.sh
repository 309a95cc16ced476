#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TraceQL over HTTP: searches and metrics of stored traces in Tempo's API, their errors, and, where
# the files are there, how many traces and spans Tempo itself found by the same queries.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

json='Content-Type: application/json'
start=$(($(date +%s) / 60 * 60 - 600)) # a whole minute in the past

# print ten traces of two spans: trace i begins at minute i, and its root takes i s
messages() {
	jq -nc --argjson s "$start" '
	def hex(n): "0123456789abcdef" | .[n:n + 1];
	def trace(i): "5b8efff798038103d269b633813fc60" + hex(i);
	{resourceSpans: [range(10) as $i | {resource: {attributes: [
	 {key: "service.name", value: {stringValue: (if $i < 5 then "shop" else "bank" end)}}]},
	 scopeSpans: [{scope: {name: "lib"}, spans: [
	 {traceId: trace($i), spanId: ("eee19b7ec3c1b1" + hex($i) + "1"), name: "GET /cart", kind: 2,
	  startTimeUnixNano: "\($s + $i * 60)000000000", endTimeUnixNano: "\($s + $i * 60 + $i)000000001",
	  status: {code: (if $i == 3 then 2 else 0 end)},
	  attributes: [{key: "http.status_code", value: {intValue: "\(200 + $i)"}}]},
	 {traceId: trace($i), spanId: ("eee19b7ec3c1b1" + hex($i) + "2"),
	  parentSpanId: ("eee19b7ec3c1b1" + hex($i) + "1"), name: "SELECT", kind: 3,
	  startTimeUnixNano: "\($s + $i * 60)500000000", endTimeUnixNano: "\($s + $i * 60)600000000",
	  attributes: [{key: "rows", value: {intValue: "\($i)"}}],
	  events: [{timeUnixNano: "\($s + $i * 60)550000000", name: "retry"}]}]}]}]}'
}
# search QUERY [parameter...] with spaces in them
search() {
	query=$1
	shift
	code=$(curl -s -G -o out -w '%{http_code}' --data-urlencode "q=$query" "$@" "$URL/api/search" 2>err)
}
# finds name query expected [curl option...]: spans by trace, the newest first
finds() {
	name=$1 query=$2 expected=$3
	shift 3
	search "$query" "$@"
	found=$(jq -r '[.traces[] | .traceID[-1:] + ":" + ([.spanSets[].spans[].spanID[-1:]] | sort | join(","))] | join(" ")' out 2>/dev/null)
	if [ "$code" = 200 ] && [ "$found" = "$expected" ]; then
		report ok "$name"
	else
		report 'not ok' "$name ($code: \"$found\", expected \"$expected\")"
	fi
}
answers() { # name expected-status path
	name=$1 expected=$2
	code=$(curl -s -o out -w '%{http_code}' "$URL$3" 2>err)
	if [ "$code" = "$expected" ]; then report ok "$name"; else report 'not ok' "$name ($code, expected $expected)"; fi
}

start_server
messages >traces.json
sent=$(curl -s -o out -w '%{http_code}' -H "$json" --data-binary @traces.json "$URL/v1/traces")
if [ "$sent" = 200 ]; then report ok 'traces are sent'; else report 'not ok' "traces are sent ($sent)"; fi

finds 'by an attribute' '{ span.http.status_code = 204 }' '4:1'
finds 'by a range, newest first' '{ span.rows > 6 }' '9:2 8:2 7:2'
finds 'by service and duration' '{ resource.service.name = "shop" && duration > 2.5s }' '4:1 3:1'
finds 'by status' '{ status = error }' '3:1'
finds 'by an event' '{ event:name = "retry" && span.rows < 2 }' '1:2 0:2'
finds 'by structure' '{ span.http.status_code = 202 } > { kind = client }' '2:2'
finds 'by trace id' '{ trace:id = "5b8efff798038103d269b633813fc605" && kind = server }' '5:1'
finds 'a limit' '{ kind = server }' '9:1 8:1' --data-urlencode limit=2
finds 'a range of time' '{ kind = server }' '2:1 1:1' \
	--data-urlencode "start=$((start + 60))" --data-urlencode "end=$((start + 150))"
finds 'the duration of traces' '{ kind = server }' '9:1 8:1' --data-urlencode minDuration=7.5s
finds 'groups' '{} | by(name) | count() = 1 | { span.rows = 3 }' '3:2'
search '{ span.rows = 7 } | select(resource.service.name, kind)'
if jq -e '.traces[0] | .rootServiceName == "bank" and .rootTraceName == "GET /cart" and .durationMs == 7000
	and .serviceStats.bank.spanCount == 2 and .spanSets[0].matched == 1
	and ([.spanSets[0].spans[0].attributes[] | .key] | sort == ["kind", "rows", "service.name"])' out >json.out 2>&1; then
	report ok 'an answer has roots, services and attributes'
else
	report 'not ok' 'an answer has roots, services and attributes'
fi

code=$(curl -s -G -o out -w '%{http_code}' --data-urlencode 'q={ kind = server } | count_over_time() by (resource.service.name)' \
	--data-urlencode "start=$start" --data-urlencode "end=$((start + 540))" --data-urlencode step=60s "$URL/api/metrics/query_range")
if jq -e '[.series[] | (.labels[0].value.stringValue) + "=" + ([.samples[].value] | add | tostring)] | sort == ["bank=5", "shop=5"]' \
	out >json.out 2>&1; then
	report ok 'metrics over time'
else
	report 'not ok' "metrics over time ($code)"
fi
code=$(curl -s -G -o out -w '%{http_code}' --data-urlencode 'q={} | max_over_time(span.rows)' \
	--data-urlencode "start=$start" --data-urlencode "end=$((start + 600))" "$URL/api/metrics/query")
if jq -e '.series[0].value == 9' out >json.out 2>&1; then
	report ok 'one value'
else
	report 'not ok' "one value ($code)"
fi

# tags name expected path: the names or values of an answer, sorted
tags() {
	found=$(curl -s "$URL$3" | jq -c '[.tagNames[]?, (.scopes[]? | select(.name != "intrinsic") | .name + "." + .tags[]),
		(.tagValues[]? | if type == "object" then .type + " " + .value else . end)] | sort')
	if [ "$found" = "$2" ]; then report ok "$1"; else report 'not ok' "$1 ($found, expected $2)"; fi
}
names='["http.status_code","rows","service.name"]'
tags 'names of attributes' "$names" /api/search/tags
tags 'names by scope' '["resource.service.name","span.http.status_code","span.rows"]' /api/v2/search/tags
tags 'names of one scope' '["span.http.status_code","span.rows"]' '/api/v2/search/tags?scope=span'
tags 'names of the spans of a filter' '["span.rows"]' '/api/v2/search/tags?scope=span&q=%7Bkind=client%7D'
tags 'a limit of names' '["span.http.status_code"]' '/api/v2/search/tags?scope=span&limit=1&q=%7Bkind=server%7D'
tags 'values' '["bank","shop"]' /api/search/tag/service.name/values
tags 'values with types' '["int 0","int 1","int 2","int 3","int 4","int 5","int 6","int 7","int 8","int 9"]' \
	/api/v2/search/tag/span.rows/values
tags 'values of the spans of a filter' '["int 8","int 9"]' '/api/v2/search/tag/.rows/values?q=%7Bspan.rows%3E7%7D'
tags 'an incomplete filter' '["string bank","string shop"]' \
	'/api/v2/search/tag/resource.service.name/values?q=%7Bspan.rows%3D%20%26%26%20name%3D'
tags 'half of a filter' '["string bank"]' '/api/v2/search/tag/resource.service.name/values?q=%7Bspan.rows%3E4%26%26name%3D'
tags 'an escaped tag' '["string bank","string shop"]' /api/v2/search/tag/resource.service%252Ename/values
tags 'values of intrinsics' '["string GET /cart","string SELECT"]' /api/v2/search/tag/name/values
tags 'values of roots' '["string GET /cart"]' /api/v2/search/tag/rootName/values
tags 'values of roots by a filter' '["string bank"]' '/api/v2/search/tag/rootServiceName/values?q=%7Bspan.rows%3D7%7D'
tags 'values of events' '["string retry"]' /api/v2/search/tag/event:name/values
tags 'keywords' '["keyword error","keyword ok","keyword unset"]' /api/v2/search/tag/status/values
tags 'keywords by a filter' '["keyword error"]' '/api/v2/search/tag/status/values?q=%7Bspan.http.status_code%3D203%7D'
tags 'no values of durations' '[]' /api/v2/search/tag/duration/values
tags 'values of another time' '[]' '/api/v2/search/tag/span.rows/values?start=1000&end=2000'
answers 'a bad scope' 400 '/api/v2/search/tags?scope=x'
answers 'a bad tag' 400 '/api/v2/search/tag/x/values'
answers 'a tag that is a query' 400 '/api/v2/search/tag/name)%20%7C%20topk(1/values'
answers 'a tag without values' 404 '/api/v2/search/tag/span.rows'

# compares name expected jq-filter: `key=value:count` of compare()
compares() {
	code=$(curl -s -G -o out -w '%{http_code}' --data-urlencode "q=$2" --data-urlencode "start=$start" \
		--data-urlencode "end=$((start + 600))" "$URL/api/metrics/query")
	found=$(jq -r --arg m "$3" '[.series[] | select(.labels[0].value.stringValue == $m)
		| select(.labels[1].key | . == "kind" or . == "span.rows" or . == "resource.service.name" or . == "event:name")
		| .labels[1].key + "=" + (.labels[1].value | .stringValue // .intValue) + ":" + (.value | tostring)] | sort | join(" ")' out)
	if [ "$found" = "$4" ]; then report ok "$1"; else report 'not ok' "$1 ($code: $found, expected $4)"; fi
}
compared='{ resource.service.name = "shop" } | compare({ kind = client && span.rows < 2 }, 2)'
compares 'compare(): the selection' "$compared" selection \
	'event:name=retry:2 kind=client:2 resource.service.name=shop:2 span.rows=0:1 span.rows=1:1'
compares 'compare(): its totals' "$compared" selection_total \
	'event:name=nil:2 kind=nil:2 resource.service.name=nil:2 span.rows=nil:2'
compares 'compare(): the baseline has at most two values' "$compared" baseline \
	'event:name=retry:3 kind=client:3 kind=server:5 resource.service.name=shop:8 span.rows=2:1 span.rows=3:1'
compares 'compare(): too many values' "$compared" __too_many_values__ 'span.rows=nil:NaN'
answers 'compare() in arithmetic' 400 '/api/metrics/query?q=(%7B%7D%7Ccompare(%7B%7D))%2B(%7B%7D%7Crate())'

answers 'a bad query' 400 '/api/search?q=%7B'
if grep -q 'parse error at line 1, col 2' out; then report ok 'its error has a place'; else report 'not ok' 'its error has a place'; fi
answers 'q and tags' 400 '/api/search?q=%7B%7D&tags=a%3Db'
answers 'a bad duration' 400 '/api/search?minDuration=x'
answers 'a bad limit' 400 '/api/search?q=%7B%7D&limit=0'
answers 'a bad range' 400 '/api/search?q=%7B%7D&start=10&end=5'
answers 'a query of metrics for a search' 400 '/api/search?q=%7B%7D%7Crate%28%29'
answers 'a search for metrics' 400 '/api/metrics/query_range?q=%7B%7D'
answers 'a missing query' 400 '/api/metrics/query_range'
answers 'a bad step' 400 '/api/metrics/query_range?q=%7B%7D%7Crate%28%29&step=x'
answers 'no range' 200 '/api/metrics/query_range?q=%7B%7D%7Crate%28%29'

fixtures=$SOURCE_ROOT/../shared/fixtures/traceql
if [ ! -d "$fixtures" ]; then
	skip 'answers of Tempo' 'no fixtures'
	expect_that 'the server ends on SIGTERM' stop_server
	finish
fi
for file in "$fixtures"/traces-*.otlp.gz; do
	curl -s -o out -H 'Content-Type: application/x-protobuf' -H 'Content-Encoding: gzip' --data-binary "@$file" "$URL/v1/traces"
done
# url, number of traces, number of spans: what Tempo found. Two queries show defects of Tempo.
jq -r '.[] | select(.group != "params" and .mode == "spans" and (.url | startswith("/api/search?")) and .q != null
	and .q != "{ span.http.method != nil } | by(span.http.method) | count() > 3")
	| (.answer.traces // "") as $t
	| [.url, ($t | if . == "" then 0 else (split(" ") | length) end),
	   ([$t | split(" ")[] | select(. != "") | split(":")[1] | split("|")[] | split(",")[]
	     | if test("-") then (split("-") | (.[1] | tonumber) - (.[0] | tonumber) + 1) else 1 end] | add // 0)] | @tsv' \
	"$fixtures/queries.json" >queries
wrong=0 asked=0
while read -r url traces spans; do
	asked=$((asked + 1))
	found=$(curl -s "$URL$url" | jq -r '"\(.traces | length) \([.traces[].spanSets[].matched] | add // 0)"')
	[ "$found" = "$traces $spans" ] || { wrong=$((wrong + 1)) && echo "# $url: $found, Tempo: $traces $spans"; }
done <queries
if [ $asked -gt 100 ] && [ $wrong -eq 0 ]; then
	report ok "$asked queries find what Tempo finds"
else
	report 'not ok' "$asked queries find what Tempo finds: $wrong do not"
fi
expect_that 'the server ends on SIGTERM' stop_server
finish
