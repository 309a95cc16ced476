#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options to the functions
# Traces through the server: stored with everything they have, read by id in Tempo's API and in our
# own, still there after kill -9, merged, and shown by varve query trace.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

trace=5b8efff798038103d269b633813fc60c
json='Content-Type: application/json'
now=$(date +%s)

# print an OTLP message: two spans of one trace, with attributes of every type
message() {
	jq -nc --arg t "$trace" --arg s "${now}000000000" --arg e "${now}250000000" '
	{resourceSpans: [{resource: {attributes: [{key: "service.name", value: {stringValue: "shop"}}]},
	 schemaUrl: "https://schema/r", scopeSpans: [{scope: {name: "lib", version: "1"}, spans: [
	 {traceId: $t, spanId: "eee19b7ec3c1b174", name: "GET /cart", kind: 2, startTimeUnixNano: $s,
	  endTimeUnixNano: $e, traceState: "a=1", flags: 257, status: {code: 2, message: "out of stock"},
	  attributes: [{key: "text", value: {stringValue: "x"}}, {key: "int", value: {intValue: "-7"}},
	   {key: "real", value: {doubleValue: 1.5}}, {key: "yes", value: {boolValue: true}},
	   {key: "raw", value: {bytesValue: "AAE="}},
	   {key: "list", value: {arrayValue: {values: [{stringValue: "a"}, {intValue: "1"}]}}},
	   {key: "map", value: {kvlistValue: {values: [{key: "k", value: {stringValue: "v"}}]}}}],
	  events: [{timeUnixNano: $s, name: "exception", attributes: [{key: "e", value: {intValue: "1"}}]}],
	  links: [{traceId: $t, spanId: "0102030405060708", attributes: [{key: "l", value: {boolValue: false}}]}],
	  droppedAttributesCount: 3},
	 {traceId: $t, spanId: "eee19b7ec3c1b175", parentSpanId: "eee19b7ec3c1b174", name: "SELECT", kind: 3,
	  startTimeUnixNano: $s, endTimeUnixNano: $e}]}]}]}'
}
status() { # name status path curl-options...
	name=$1 wanted=$2 path=$3
	shift 3
	code=$(curl -s -o out -w '%{http_code}' "$URL$path" "$@" 2>err)
	if [ "$code" = "$wanted" ]; then
		report ok "$name"
	else
		report 'not ok' "$name (expected $wanted, got $code)"
	fi
}
# whether the trace has every field that was sent, in our own API
whole() { # name
	message | jq -S '[.resourceSpans[0].scopeSpans[0].spans[]] | sort_by(.spanId)' >sent
	curl -s "$URL/api/v1/trace/otlp?trace=$trace" |
		jq -S '[.resourceSpans[].scopeSpans[].spans[]] | sort_by(.spanId)' >stored
	if cmp -s sent stored; then
		report ok "$1"
	else
		report 'not ok' "$1"
		diff sent stored | sed 's/^/# /' | head -20
	fi
}

start_server
message >trace.json
status 'a trace is sent' 200 /v1/traces -H "$json" --data-binary @trace.json
whole 'it has every field that was sent'
status 'Tempo: echo' 200 /api/echo
status 'Tempo: build information' 200 /api/status/buildinfo
status 'Tempo: a trace by id' 200 "/api/traces/$trace"
expect_out_file() { # name jq-expression expected
	if [ "$(jq -r "$2" out)" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 ($(jq -r "$2" out))"; fi
}
expect_out_file 'ids are base64, kinds are names' \
	'[.batches[0].scopeSpans[0].spans[] | .spanId + " " + .kind] | sort | join(",")' \
	'7uGbfsPBsXQ= SPAN_KIND_SERVER,7uGbfsPBsXU= SPAN_KIND_CLIENT'
status 'Tempo: version 2' 200 "/api/v2/traces/$trace?start=$((now - 9))&end=$((now + 9))"
expect_out_file 'its trace has the schema URL' '.trace.resourceSpans[0].schemaUrl' 'https://schema/r'
status 'Tempo: protobuf' 200 "/api/v2/traces/$trace" -H 'Accept: application/protobuf'
if [ "$(head -c 1 out | od -An -tx1 | tr -d ' ')" = 0a ] && grep -q 'out of stock' out; then
	report ok 'the answer is protobuf'
else
	report 'not ok' 'the answer is protobuf'
fi
status 'an unknown trace' 404 /api/traces/abc
status 'a bad id' 400 /api/v2/traces/xyz
status 'a bad time' 400 "/api/traces/$trace?start=abc"
status 'another day' 404 "/api/traces/$trace?start=1&end=2"

export VARVE_URL="$URL"
run query trace "$trace"
expect 'the waterfall' 0 '2 spans, 250' 'shop  GET /cart  ERROR: out of stock  .1 event' '  shop  SELECT'
run query trace "$trace" --json
expect 'the waterfall as JSON' 0 '"resourceSpans":' '"stringValue":"x"'
run query trace 00000000000000000000000000000001
expect 'a trace that is not stored' 2 'is not stored'
run query trace
expect 'no trace' 2 'needs one trace id'

run query traces '{ name = "SELECT" }'
expect 'a search' 0 "$trace  shop  GET /cart" '  SELECT'
run query traces '{ name = "none" }'
expect 'a search without result' 0 'no trace is found'
run query traces '{ status = error }' --json
expect 'a search as JSON' 0 '"rootTraceName":"GET /cart"'
run query traces '{ x'
expect 'a bad search' 2 'parse error at line 1'
run query traces '{}' --traces '{}'
expect 'a search has one query' 2 'its query as its argument'

# a profile of the second span, in OTLP
profile() {
	jq -nc --arg t "$trace" --arg s "$span" --arg at "${now}000000000" '
	{resourceProfiles: [{resource: {attributes: [{key: "service.name", value: {stringValue: "shop"}}]},
	 scopeProfiles: [{profiles: [{sampleType: {typeStrindex: 1, unitStrindex: 2}, timeUnixNano: $at, durationNano: "1000000000",
	  samples: [{stackIndex: 1, values: ["70000000"], linkIndex: 1}]}]}]}],
	 dictionary: {stringTable: ["", "cpu", "nanoseconds", "parse_json"],
	  functionTable: [{}, {nameStrindex: 3}], locationTable: [{}, {lines: [{functionIndex: 1}]}],
	  stackTable: [{}, {locationIndices: [1]}], linkTable: [{}, {traceId: $t, spanId: $s}], mappingTable: [{}], attributeTable: [{}]}}'
}
span=eee19b7ec3c1b175
profile >profile.json
status 'a profile of a span' 200 /v1development/profiles -H "$json" --data-binary @profile.json
run query trace "$trace" --type cpu
expect 'the waterfall has the cost of spans' 0 'cost' '70.0 ms.*SELECT'
run query flame --traces '{ name = "SELECT" }' --type cpu
expect 'the flame graph of a search' 0 'parse_json'
run query top --traces '{ name = "GET /cart" }' --type cpu --json
expect 'a search of other spans' 0 '"total": *0'
run query spans --function parse_json --type cpu
expect 'the spans that ran a function' 0 "70.0 ms.*$trace  $span  shop  SELECT"
run query spans --function other --type cpu
expect 'no span ran it' 0 'no span has such samples'
status 'Tempo: spans link to profiles' 200 "/api/v2/traces/$trace"
if [ "$(jq -r '[.. | objects | select(.key? == "pyroscope.profile.id") | .value.stringValue] | join(" ")' out)" = "$span" ]; then
	report ok 'the link is in the trace'
else
	report 'not ok' 'the link is in the trace'
fi

stop_server KILL
start_server --tempo-listen 127.0.0.1:0
TEMPO=http://$(sed -n 's/.* tempo=\([^ ]*\).*/\1/p' "$SCRATCH/server.log" | tail -1)
if [ "$(curl -s "$TEMPO/api/echo")" = echo ] && [ "$(curl -s "$TEMPO/ready")" = ready ] &&
	curl -s "$TEMPO/api/v2/search/tag/name/values" | grep -q SELECT; then
	report ok 'the address for Tempo'
else
	report 'not ok' "the address for Tempo ($TEMPO)"
fi
whole 'after kill -9 nothing is lost'
run store check "$SCRATCH/data"
expect 'the store is intact' 0
expect_that 'the server ends on SIGTERM' stop_server
finish
