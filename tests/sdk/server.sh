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
	# with spans and with metrics, which this server does not keep: it says so before it has read them
	VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol VARVE_SERVICE_NAME=$service "$SENDER" >sent 2>&1
	expect_that "$protocol: all that was sent is confirmed" grep -q '^failed 0$' sent
	expect_that "$protocol: and nothing waits" grep -q '^pending 0$' sent
	expect_that "$protocol: and each flush was in time" grep -q '^flush 0$' sent
	expect_that "$protocol: the server is ready when asked" grep -q '^check 0 $' sent
	run query top "$service" --type cpu --url "$URL"
	expect "$protocol: the server knows the hot function" 0 'burn'
	run query types "$service" --url "$URL"
	expect "$protocol: and its type" 0 'process_cpu'
	span=$(sed -n 's/^span //p' sent)
	expect_that "$protocol: asked by span" by_span "$span"
	expect_not "$protocol: another span has none" by_span 00000000000000ff
done
expect_that 'it ends when asked to' stop_server

# The same over TLS: the certificate is one that only the environment knows of.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=varve \
	-addext subjectAltName=IP:127.0.0.1 >out 2>err
code=$?
expect 'a certificate is made' 0
start_server --tls-cert cert.pem --tls-key key.pem
# send NAME=VALUE...: what the environment has besides
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
	expect_that "$protocol over TLS: a certificate that nobody vouches for is refused" grep -q '^confirmed 0$' sent
	expect_not "$protocol over TLS: and nothing came" knows_it
	send VARVE_ENDPOINT=$endpoint VARVE_PROTOCOL=$protocol OTEL_EXPORTER_OTLP_CERTIFICATE=cert.pem
	expect_that "$protocol over TLS: all that was sent is confirmed" grep -q '^failed 0$' sent
	expect_that "$protocol over TLS: in time" grep -q '^flush 0$' sent
	expect_that "$protocol over TLS: and came" knows_it
done
service=secret-usual
send VARVE_ENDPOINT="https://$OTLP_HTTP" SSL_CERT_FILE=cert.pem
expect_that 'SSL_CERT_FILE is asked as well' grep -q '^failed 0$' sent
expect_that 'the server with TLS ends when asked to' stop_server
finish
