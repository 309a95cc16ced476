#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # the functions take options that most calls have not
# libvarve sends to a real server, by each protocol; what arrives is asked for by its name, by type and by span.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# by_span ID: the samples of a span are those of burn()
# shellcheck disable=SC2317 # called by expect_that
by_span() {
	now=$(date +%s)
	curl -s "$URL/querier.v1.QuerierService/SelectMergeSpanProfile" -H 'Content-Type: application/json' -d '{
		"profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "labelSelector": "{service_name=\"'"$service"'\"}",
		"spanSelector": ["'"$1"'"], "start": "'$((now - 3600))'000", "end": "'$((now + 60))'000"}' >by_span.json
	grep -q burn by_span.json
}

start_server
for protocol in http/protobuf grpc pyroscope; do
	case $protocol in
	grpc) endpoint=http://$OTLP_GRPC ;;
	pyroscope) endpoint=$URL ;;
	*) endpoint=http://$OTLP_HTTP ;;
	esac
	service=sender-$(basename $protocol)
	VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME=$service VARVE_METRICS=0 VARVE_TRACES=0 \
		"$SENDER" >sent 2>&1
	expect_that "$protocol: all that was sent is confirmed" grep -q '^failed 0$' sent
	run query top "$service" --type cpu --url "$URL"
	expect "$protocol: the server knows the hot function" 0 'burn'
	run query types "$service" --url "$URL"
	expect "$protocol: and its type" 0 'process_cpu'
	span=$(sed -n 's/^span //p' sent)
	expect_that "$protocol: asked by span" by_span "$span"
	expect_not "$protocol: another span has none" by_span 00000000000000ff
done
expect_that 'it ends when asked to' stop_server
finish
