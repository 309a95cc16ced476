#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `varve demo` runs the shop (examples/shop); then queries by type, version and span return the
# known hot functions.
. "$SOURCE_ROOT/tests/cli/lib.sh"

free_port 3
"$VARVE" up -q --data data --listen 127.0.0.1:$port --otlp-http 127.0.0.1:$((port + 1)) --otlp-grpc 127.0.0.1:$((port + 2)) 2>up.log &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
export VARVE_URL=http://127.0.0.1:$port
for _ in $(seq 100); do
	curl -sf "$VARVE_URL/ready" >/dev/null && break
	sleep 0.1
done

run demo --seconds 6 --endpoint http://127.0.0.1:$((port + 1)) --url "$VARVE_URL"
expect 'the demo runs both versions and prints commands and links' 0 '^v1: orders=[0-9]+ failed=0 ' '^v2: orders=[0-9]+ failed=0 ' \
	'varve query top shop-front --type cpu' 'varve diff --type cpu' '/profiles\?query=shop-front&from=[0-9]{13}&to=[0-9]{13}$'
trace=$(sed -n 's/^v2: .*trace=\([0-9a-f]*\).*/\1/p' out)

# share function: its share in the output of `top`, in percent without fraction
share() { awk -v name="$1" '$0 ~ name { for (i = 1; i <= NF; i++) if ($i ~ /%$/) { sub(/\..*/, "", $i); n = $i } print n; exit }' out; }
most() { # name least function
	if [ "$code" = 0 ] && [ "$(share "$3")" -ge "$2" ] 2>/dev/null; then report ok "$1"; else report 'not ok' "$1"; fi
}
run query top shop-front --type cpu -n 5
most 'by type: the hot spot' 60 escape_html
run query top shop-orders --type inuse_space -n 5
most 'by type: the leak' 90 remember_audit
run query top shop-orders --type mutex:delay:nanoseconds:contentions:count -n 5
most 'by type: the lock and its holder' 80 reserve_stock
run query top 'shop-orders{service.version="v1"}' --type cpu -n 5
if grep -q search_list out || [ "$code" != 0 ]; then report 'not ok' 'by version: v1 does not search'; else report ok 'by version: v1 does not search'; fi
run query top 'shop-orders{service.version="v2"}' --type cpu -n 5
most 'by version: v2 searches' 40 search_list
run diff --type cpu --time-range 10m --baseline 'shop-orders{service.version="v1"}' --comparison 'shop-orders{service.version="v2"}'
expect 'the diff shows the regression' 0 'search_list'
curl -s "$VARVE_URL/api/v1/trace?trace=$trace&type=wall" >out 2>err
code=$?
expect 'by trace: one order in both services' 0 '"spans":\[\{' 'reserve_stock|escape_html|price_cart|search_list'
span=$(sed -n 's/.*"spans":\[{[^}]*"\(id\|span\)":"\([0-9a-f]\{16\}\)".*/\2/p' out | head -1)
curl -s "$VARVE_URL/api/v1/span?span=$span&type=wall" >out 2>err
code=$?
expect 'by span: the profile of one span' 0 'reserve_stock|escape_html|price_cart|search_list|shop_call|answer'

# data of the size of a company
run demo --large --pods 400 --url "$VARVE_URL" --endpoint http://127.0.0.1:$((port + 1))
expect 'the large demo sends all signals' 0 'sent profiles of 166 services, a trace of 6000 spans, log records and metrics'
curl -s "$VARVE_URL/api/v1/services" >out 2>err
code=$?
expect 'the large demo has all services' 0 'com.bigcompany.checkout.platform.order-pipeline-0"' 'com.bigcompany.[a-z]*.platform.[a-z]*-[a-z]*-165"'
curl -s -G "$VARVE_URL/api/v1/labels" --data-urlencode 'query=com.bigcompany.checkout.platform.order-pipeline-0' >out 2>err
code=$?
expect 'the large demo has many labels' 0 'k8s.pod.name' 'org.bigcompany.annotation_27'
run demo --large --pods 1 --url "$VARVE_URL" --endpoint x
expect 'too few pods are refused' 2 '--pods: expected 166 to 100000'

# Ctrl-C stops the whole demo
"$VARVE" demo --seconds 60 --endpoint http://127.0.0.1:$((port + 1)) >out 2>err &
pid=$!
sleep 3
kill -INT $pid
wait $pid
code=$?
if [ "$code" != 0 ] && ! pgrep -P $pid >/dev/null; then report ok 'an interrupt ends the shop'; else report 'not ok' 'an interrupt ends the shop'; fi
finish
