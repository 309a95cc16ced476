#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # most calls pass no options
# libvarve exports to a real server by each protocol; then the profiles are queried by service, type
# and span.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# by_span ID: check that the samples of the span are those of burn()
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
	VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME=$service "$SENDER" >sent 2>&1
	expect_that "$protocol: all exports are confirmed" grep -q '^failed 0$' sent
	expect_that "$protocol: nothing is pending" grep -q '^pending 0$' sent
	expect_that "$protocol: each flush succeeds" grep -q '^flush 0$' sent
	expect_that "$protocol: the readiness check succeeds" grep -q '^check 0 $' sent
	run query top "$service" --type cpu --url "$URL"
	expect "$protocol: a query returns the hot function" 0 'burn'
	run query types "$service" --url "$URL"
	expect "$protocol: a query returns the profile type" 0 'process_cpu'
	span=$(sed -n 's/^span //p' sent)
	expect_that "$protocol: a query by span returns its samples" by_span "$span"
	expect_not "$protocol: another span has no samples" by_span 00000000000000ff
	[ $protocol != pyroscope ] || continue # has no metrics
	run query promql --url "$URL" --instant "{__name__=~\"sent_.*\", kind=\"test\", job=\"$service\"}"
	expect "$protocol: metrics of all kinds are stored" 0 '^ *3  sent_items_total' '^ *7  sent_time_seconds_sum' \
		'^ *0\.5  sent_level_ratio' '^histogram of *1, sum *512  sent_size_bytes' '^ *1  sent_time_seconds_bucket.*le="10"'
	curl -gsf "$URL/prometheus/api/v1/query_exemplars" --data-urlencode "query={__name__=~\"sent_.*\", job=\"$service\"}" |
		tr '{' '\n' >out
	code=$?
	expect "$protocol: their exemplars are stored, with the span" 0 "\"span_id\":\"$span\".*\"value\":\"3\"" \
		"\"span_id\":\"$span\".*\"value\":\"7\"" "\"span_id\":\"$span\".*\"value\":\"512\""
done
expect_that 'the server stops on request' stop_server

# Bodies that are encrypted for a server that has the key.
make_key() { (umask 077 && openssl rand -hex 32 >"$1"); }
make_key key
make_key other
start_server --sender-key-file key
# shellcheck disable=SC2317 # called by expect_that
is_known() { "$VARVE" query top "$service" --type cpu --url "$URL" 2>/dev/null | grep -q burn; }
for protocol in http/protobuf grpc pyroscope; do
	case $protocol in
	grpc) endpoint=http://$OTLP_GRPC ;;
	pyroscope) endpoint=$URL ;;
	*) endpoint=http://$OTLP_HTTP ;;
	esac
	for compression in gzip none; do
		service=sealed-$(basename $protocol)-$compression
		VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME=$service VARVE_KEY_FILE=key \
			OTEL_EXPORTER_OTLP_COMPRESSION=$compression "$SENDER" >sent 2>&1
		expect_that "$protocol, encrypted ($compression): all exports are confirmed" grep -q '^failed 0$' sent
		expect_that "$protocol, encrypted ($compression): the readiness check succeeds" grep -q '^check 0 $' sent
		expect_that "$protocol, encrypted ($compression): the profiles are stored" is_known
	done
	service=other-$(basename $protocol)
	VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME=$service VARVE_KEY_FILE=other "$SENDER" >sent 2>&1
	expect_that "$protocol, with another key: nothing is confirmed" grep -q '^confirmed 0$' sent
	expect_not "$protocol, with another key: nothing is stored" is_known
done
VARVE_ENDPOINT=http://$OTLP_HTTP VARVE_KEY_FILE=missing "$SENDER" >sent 2>&1
expect_that 'without its key file nothing is exported' grep -q 'missing' sent
expect_that 'the server with keys stops on request' stop_server

# The same over TLS, with a certificate that is trusted only through the environment.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=varve \
	-addext subjectAltName=IP:127.0.0.1 >out 2>err
code=$?
expect 'a certificate is made' 0
start_server --tls-cert cert.pem --tls-key key.pem
# send NAME=VALUE...: run the sender with more environment variables
send() { env VARVE_SERVICE_NAME="$service" VARVE_METRICS=0 "$@" timeout 60 "$SENDER" >sent 2>&1; }
# shellcheck disable=SC2317 # called by expect_that
knows_it() { curl -s --cacert cert.pem "https://127.0.0.1:$PORT/api/v1/services" | grep -q "\"$service\""; }
for protocol in http/protobuf grpc pyroscope; do
	case $protocol in
	grpc) endpoint=https://$OTLP_GRPC ;;
	pyroscope) endpoint=https://127.0.0.1:$PORT ;;
	*) endpoint=https://$OTLP_HTTP ;;
	esac
	service=secret-$(basename $protocol)
	send VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol
	expect_that "$protocol over TLS: an untrusted certificate is refused" grep -q '^confirmed 0$' sent
	expect_not "$protocol over TLS: nothing is stored without trust" knows_it
	send VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol OTEL_EXPORTER_OTLP_CERTIFICATE=cert.pem
	expect_that "$protocol over TLS: all exports are confirmed" grep -q '^failed 0$' sent
	expect_that "$protocol over TLS: each flush succeeds" grep -q '^flush 0$' sent
	expect_that "$protocol over TLS: the profiles are stored" knows_it
done
service=secret-usual
send VARVE_ENDPOINT="https://$OTLP_HTTP" SSL_CERT_FILE=cert.pem
expect_that 'SSL_CERT_FILE is used' grep -q '^failed 0$' sent
expect_that 'the server with TLS stops on request' stop_server
finish
