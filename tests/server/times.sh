#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles and spans of a client with a wrong clock: each receiver refuses them for good with a
# reason, and stores the others.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

json='Content-Type: application/json'
ahead="the sender's clock is ahead by [0-9]+d.*; the limit is 1h \(reject_newer_than\)"
old='it is 40d old; older than 30d is not kept \(retention\)'
now=$(date +%s)
then=$((now - 40 * 86400)) # before the retention
year_2200=7258118400

# print an OTLP message with a profile at each of these seconds
profiles() {
	printf 'main;work 5\n' >one.folded
	"$VARVE" convert one.folded -t otlp-json >one.json 2>err
	jq -c '.resourceProfiles[0].scopeProfiles[0].profiles |= [.[0] as $p | $ARGS.positional[] |
		$p + {timeUnixNano: (. + "000000000")}]' one.json --args "$@"
}
spans() {
	jq -nc '{resourceSpans: [{scopeSpans: [{spans: [$ARGS.positional | to_entries[] |
		{traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b17\(.key)", name: "work",
		startTimeUnixNano: (.value + "000000000"), endTimeUnixNano: (.value + "000000001")}]}]}]}' --args "$@"
}
push() { # seconds: print the message of push.v1
	profiles "$1" >push.json
	"$VARVE" convert push.json -t pprof -o push.pb.gz 2>err
	printf '{"series":[{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"service_name","value":"pushed"}],'
	printf '"samples":[{"ID":"1","rawProfile":"%s"}]}]}' "$(base64 -w 0 push.pb.gz)"
}
says() { # name status text path curl-options...
	name=$1 wanted=$2 text=$3 path=$4
	shift 4
	code=$(curl -s -o out -w '%{http_code}' "$URL$path" "$@" 2>err)
	if [ "$code" != "$wanted" ]; then
		report 'not ok' "$name (expected $wanted, got $code)"
	elif [ -n "$text" ] && ! grep -qE -e "$text" out; then
		report 'not ok' "$name (the response does not contain: $text)"
	else
		report ok "$name"
	fi
}
kept() { # expected numbers of profiles and spans
	code=$(curl -s "$URL/api/v1/status" | tee out | jq -r '"\(.store.profiles) \(.store.spans)"')
	[ "$code" = "$*" ]
}

start_server --retention 30d
profiles $year_2200 >otlp.json
says 'OTLP: a profile of 2200 is rejected' 200 "rejectedProfiles\":\"1\".*$ahead" /v1development/profiles -H "$json" --data-binary @otlp.json
profiles $year_2200 "$now" $then >otlp.json
says 'OTLP: profiles of 2200 and 40 days ago are rejected, one of now is stored' 200 "rejectedProfiles\":\"2\".*$ahead" /v1development/profiles -H "$json" --data-binary @otlp.json
spans $year_2200 "$now" >spans.json
says 'OTLP: a span of 2200 is rejected, one of now is stored' 200 "rejectedSpans\":\"1\".*span 0 is of 2200.*$ahead" /v1/traces -H "$json" --data-binary @spans.json
push $year_2200 >call.json
says 'push: a profile of 2200 is refused' 400 "\"code\":\"invalid_argument\".*$ahead" /push.v1.PusherService/Push -H "$json" --data-binary @call.json
push $then >call.json
says 'push: a profile that is too old is refused' 400 "$old" /push.v1.PusherService/Push -H "$json" --data-binary @call.json
says 'ingest: a profile of 2200 is refused' 422 "$ahead" "/ingest?name=app&from=$year_2200&until=$year_2200" --data-binary @one.folded
says 'ingest: a profile that is too old is refused' 422 "$old" "/ingest?name=app&from=$then&until=$then" --data-binary @one.folded
says 'upload: a profile of 2200 is refused' 400 "$ahead" '/api/v1/upload?service=a&time=2200-01-01' --data-binary @one.folded
says 'upload: a profile that is too old is refused' 400 "$old" "/api/v1/upload?service=a&time=$then" --data-binary @one.folded
profiles $year_2200 "$now" >otlp.json
says 'upload: a profile of 2200 is rejected, one of now is stored' 200 '"rejected":1' '/api/v1/upload?service=a' --data-binary @otlp.json
expect_that 'only the profiles and spans of now are stored' kept 2 1
expect_that 'the store has one day' [ "$(find data -name '2*.db' | wc -l)" -eq 1 ]
run push one.folded --url "$URL" --service a --time 2200-01-01
expect 'varve push prints the reason' 2 "$ahead"
expect_that 'the server ends on SIGTERM' stop_server

start_server --reject-newer-than 0
says 'without a limit any future time is accepted' 200 '' "/ingest?name=app&from=$year_2200&until=$year_2200" --data-binary @one.folded
says 'without a retention any age is accepted' 200 '' "/ingest?name=app&from=86400&until=86400" --data-binary @one.folded
expect_that 'both profiles are stored' kept 4 1
expect_that 'the server ends on SIGTERM' stop_server
finish
