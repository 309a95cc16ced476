#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Requests of foreign pages in a browser that can reach the server: foreign host names (DNS
# rebinding), cross-origin requests, CORS, links.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded
printf '%s\n' 0123456789abcdef-all >tokens
evil='Origin: http://evil.example'
cross='Sec-Fetch-Site: cross-site'
ingest='/ingest?name=app%7B%7D&spyName=x'

# status PATH curl-options...: print the HTTP status; the body is in `out`, the headers in `headers`
status() {
	path=$1
	shift
	curl -s -o out -D headers -w '%{http_code}' "$@" "$URL$path" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
kept() { # number of stored profiles
	curl -s "$URL/api/v1/stats" | sed -n 's/.*"profiles":\([0-9]*\).*/\1/p'
}

start_server --set 'receivers.otlp.protocols.http.cors.allowed_origins=["https://*.shop.example"]' \
	--set 'receivers.otlp.protocols.http.cors.allowed_headers=[X-Tenant]' \
	--set receivers.otlp.protocols.http.cors.max_age=600 --allowed-hosts 'varve.corp, *.svc.local'
is 'a client that is not a browser can write' 200 "$(status "$ingest" --data-binary @a.folded)"
is 'its profile is stored' 1 "$(kept)"

# host names
is 'a request with a foreign Host cannot delete' 403 "$(status '/api/v1/data?query=%7B%7D' -X DELETE -H 'Host: evil.example' -H "$evil")"
expect_that 'the error names the setting' grep -q 'evil.example.*--allowed-hosts.*service.access.allowed_hosts' out
is 'a request with a foreign Host cannot read' 403 "$(status /api/v1/services -H 'Host: evil.example')"
is 'a request with a foreign Host cannot write' 403 "$(status "$ingest" -H "Host: evil.example:$PORT" --data-binary @a.folded)"
is 'a request with a foreign Host cannot make calls' 403 "$(status /querier.v1.QuerierService/ProfileTypes -H 'Host: evil.example' -H 'Content-Type: application/json' -d '{}')"
is 'a request with a foreign Host cannot read metrics' 403 "$(status /metrics -H 'Host: evil.example')"
is 'a foreign Host is refused with HTTP/2' 403 "$(status /api/v1/services --http2-prior-knowledge -H 'Host: evil.example')"
is 'a foreign host is refused in an absolute target' 403 "$(status / --request-target 'http://evil.example/api/v1/services')"
is 'a foreign Host is refused next to an absolute target' 403 "$(status / --request-target "http://127.0.0.1:$PORT/api/v1/services" -H 'Host: evil.example')"
is 'a Host that only begins with localhost is refused' 403 "$(status /api/v1/services -H 'Host: localhost.evil.example')"
is 'a foreign address as Host is refused' 403 "$(status /api/v1/services -H 'Host: 192.0.2.7')"
is 'an invalid Host is refused' 403 "$(status /api/v1/services -H 'Host: user@localhost')"
for host in localhost "LOCALHOST:$PORT" localhost. shop.localhost:1 127.9.9.9 '[::1]' "[::1]:$PORT" Varve.Corp a.b.svc.local:80; do
	is "Host $host is accepted" 200 "$(status /api/v1/services -H "Host: $host")"
done
is 'a request without Host is accepted' 200 "$(status /api/v1/services --http1.0 -H Host:)"

# other origins
for path in "$ingest" '/api/v1/upload?service=x' /api/v1/files; do
	is "a cross-origin form to ${path%%\?*} is refused" 403 "$(status "$path" -H 'Content-Type: text/plain' -H "$evil" --data-binary @a.folded)"
	is "a form with Origin null is refused" 403 "$(status "$path" -H 'Content-Type: text/plain' -H 'Origin: null' --data-binary @a.folded)"
	is "a form with Sec-Fetch-Site: cross-site is refused" 403 "$(status "$path" -H 'Content-Type: text/plain' -H "$cross" --data-binary @a.folded)"
done
is 'another port of this machine is a foreign origin' 403 "$(status "$ingest" -H 'Origin: http://127.0.0.1:1' -H 'Sec-Fetch-Site: same-site' --data-binary @a.folded)"
is 'a foreign page cannot read' 403 "$(status /api/v1/services -H "$cross" -H 'Sec-Fetch-Mode: no-cors')"
is 'a foreign page cannot delete' 403 "$(status '/api/v1/data?query=%7B%7D' -X DELETE -H "$evil")"
is 'refused requests changed nothing' 1 "$(kept)"
is 'the page of the server can write' 200 "$(status "$ingest" -H "Origin: http://127.0.0.1:$PORT" -H 'Sec-Fetch-Site: same-origin' --data-binary @a.folded)"
is 'the page of the server can write under a configured name' 200 "$(status "$ingest" -H 'Origin: https://varve.corp' --data-binary @a.folded)"

# links
navigate() { # path options...
	path=$1
	shift
	status "$path" -H "$cross" -H 'Sec-Fetch-Mode: navigate' --compressed "$@"
}
is 'a link from another site opens a page' 200 "$(navigate '/profiles?query=x' -H 'Sec-Fetch-Dest: document')"
is 'a frame of another site is refused' 403 "$(navigate /profiles -H 'Sec-Fetch-Dest: iframe')"
is 'a link from another site to data is refused' 403 "$(navigate /api/v1/services -H 'Sec-Fetch-Dest: document')"
is 'a link from another site cannot write' 403 "$(navigate "$ingest" --data-binary @a.folded)"
is 'an address entered by the user is accepted' 200 "$(status /api/v1/services -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate')"

# CORS
URL=http://$OTLP_HTTP
preflight() { status "$1" -X OPTIONS -H 'Access-Control-Request-Method: POST' -H 'Access-Control-Request-Headers: content-type' -H "Origin: $2" -H "$cross"; }
is 'the preflight of an allowed origin succeeds' 204 "$(preflight /v1/traces https://a.shop.example)"
expect_that 'the preflight allows the origin' grep -qi '^access-control-allow-origin: https://a.shop.example' headers
expect_that 'the preflight allows the configured headers' grep -qi '^access-control-allow-headers: .*content-type.*X-Tenant' headers
expect_that 'the preflight has the configured lifetime' grep -qi '^access-control-max-age: 600' headers
is 'an allowed origin can send' 200 "$(status /v1/traces -H 'Origin: https://a.shop.example' -H "$cross" -H 'Content-Type: application/json' -d '{}')"
expect_that 'an allowed origin can read the response' grep -qi '^access-control-allow-origin: https://a.shop.example' headers
is 'a request of an allowed origin with an error fails' 400 "$(status /v1/traces -H 'Origin: https://a.shop.example' -H 'Content-Type: application/json' -d '{')"
expect_that 'an allowed origin can read the error' grep -qi '^access-control-allow-origin:' headers
is 'the preflight of another origin is refused' 403 "$(preflight /v1/traces https://shop.example.evil)"
expect_not 'the refusal allows no origin' grep -qi '^access-control-allow' headers
is 'another origin cannot send' 403 "$(status /v1/traces -H "$evil" -H 'Content-Type: application/json' -d '{}')"
URL=http://127.0.0.1:$PORT
is 'a receiver without CORS settings refuses preflights' 405 "$(preflight /ingest https://a.shop.example)"
stop_server

# a foreign page has no token, but the browser may have stored the password
start_server --token-file tokens --listen 0.0.0.0:0 --set 'receivers.otlp.protocols.http.cors.allowed_origins=["*"]'
URL=http://127.0.0.1:${URL##*:}
token='Authorization: Bearer 0123456789abcdef-all'
is 'with tokens any Host is accepted' 200 "$(status /api/v1/services -H 'Host: varve.anywhere' -H "$token")"
is 'a foreign page cannot read with the password of the browser' 403 "$(status /api/v1/services -u me:0123456789abcdef-all -H "$cross")"
is 'a foreign form cannot write with the password of the browser' 403 "$(status "$ingest" -u me:0123456789abcdef-all -H "$evil" --data-binary @a.folded)"
URL=http://$OTLP_HTTP
is 'a preflight needs no token' 204 "$(preflight /v1/traces https://any.example)"
is 'the request after a preflight needs a token' 401 "$(status /v1/traces -H "$evil" -H 'Content-Type: application/json' -d '{}')"
is 'the request with a token is accepted' 200 "$(status /v1/traces -H "$evil" -H "$token" -H 'Content-Type: application/json' -d '{}')"
expect_that 'the response allows all origins' grep -qi '^access-control-allow-origin: \*' headers
expect_not 'the response does not allow credentials' grep -qi '^access-control-allow-credentials' headers
stop_server

start_server --insecure --listen 0.0.0.0:0
URL=http://127.0.0.1:${URL##*:}
is 'without tokens on all interfaces any address is accepted as Host' 200 "$(status /api/v1/services -H 'Host: 192.0.2.7:4040')"
is 'without tokens on all interfaces a foreign Host is refused' 403 "$(status /api/v1/services -H 'Host: evil.example')"
expect_that 'the server ends on SIGTERM' stop_server

run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --allowed-hosts http://varve.corp
expect 'an allowed host with a scheme is an error' 2 'allowed_hosts.*expected a host.*http://varve.corp'
finish
