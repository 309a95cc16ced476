#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages in a browser that can reach the server: names that are not its own (DNS rebinding), requests across origins, CORS, links.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"
printf 'main;a 1\nmain;b 2\n' >a.folded
printf '%s\n' 0123456789abcdef-all >tokens
evil='Origin: http://evil.example'
cross='Sec-Fetch-Site: cross-site'
ingest='/ingest?name=app%7B%7D&spyName=x'

# status URL-PATH curl-options...: the HTTP status; the body is in `out`, the headers are in `headers`
status() {
	path=$1
	shift
	curl -s -o out -D headers -w '%{http_code}' "$@" "$URL$path" 2>err
}
is() { # name wanted got
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (wanted $2, got $3)"; fi
}
kept() { # profiles that the store has
	curl -s "$URL/api/v1/stats" | sed -n 's/.*"profiles":\([0-9]*\).*/\1/p'
}

start_server --set 'receivers.otlp.protocols.http.cors.allowed_origins=["https://*.shop.example"]' \
	--set 'receivers.otlp.protocols.http.cors.allowed_headers=[X-Tenant]' \
	--set receivers.otlp.protocols.http.cors.max_age=600 --allowed-hosts 'varve.corp, *.svc.local'
is 'a sender that is no browser' 200 "$(status "$ingest" --data-binary @a.folded)"
is 'which is kept' 1 "$(kept)"

# names
is 'a page by a name of its own cannot delete' 403 "$(status '/api/v1/data?query=%7B%7D' -X DELETE -H 'Host: evil.example' -H "$evil")"
expect_that 'and the answer names the setting' grep -q 'evil.example.*--allowed-hosts.*service.access.allowed_hosts' out
is 'nor read' 403 "$(status /api/v1/services -H 'Host: evil.example')"
is 'nor write' 403 "$(status "$ingest" -H "Host: evil.example:$PORT" --data-binary @a.folded)"
is 'nor call' 403 "$(status /querier.v1.QuerierService/ProfileTypes -H 'Host: evil.example' -H 'Content-Type: application/json' -d '{}')"
is 'nor read metrics' 403 "$(status /metrics -H 'Host: evil.example')"
is 'nor by HTTP/2' 403 "$(status /api/v1/services --http2-prior-knowledge -H 'Host: evil.example')"
is 'nor by an absolute target' 403 "$(status / --request-target 'http://evil.example/api/v1/services')"
is 'nor by a Host beside an absolute target' 403 "$(status / --request-target "http://127.0.0.1:$PORT/api/v1/services" -H 'Host: evil.example')"
is 'nor by a name that only begins well' 403 "$(status /api/v1/services -H 'Host: localhost.evil.example')"
is 'nor by an address that is not ours' 403 "$(status /api/v1/services -H 'Host: 192.0.2.7')"
is 'nor by what is no host' 403 "$(status /api/v1/services -H 'Host: user@localhost')"
for host in localhost "LOCALHOST:$PORT" localhost. shop.localhost:1 127.9.9.9 '[::1]' "[::1]:$PORT" Varve.Corp a.b.svc.local:80; do
	is "Host $host is ours" 200 "$(status /api/v1/services -H "Host: $host")"
done
is 'without a Host there is no browser' 200 "$(status /api/v1/services --http1.0 -H Host:)"

# other origins
for path in "$ingest" '/api/v1/upload?service=x' /api/v1/files; do
	is "a form of another page to ${path%%\?*}" 403 "$(status "$path" -H 'Content-Type: text/plain' -H "$evil" --data-binary @a.folded)"
	is "and from nowhere" 403 "$(status "$path" -H 'Content-Type: text/plain' -H 'Origin: null' --data-binary @a.folded)"
	is "and told by its site" 403 "$(status "$path" -H 'Content-Type: text/plain' -H "$cross" --data-binary @a.folded)"
done
is 'another port of this machine is another origin' 403 "$(status "$ingest" -H 'Origin: http://127.0.0.1:1' -H 'Sec-Fetch-Site: same-site' --data-binary @a.folded)"
is 'another page cannot read' 403 "$(status /api/v1/services -H "$cross" -H 'Sec-Fetch-Mode: no-cors')"
is 'nor delete' 403 "$(status '/api/v1/data?query=%7B%7D' -X DELETE -H "$evil")"
is 'all is as it was' 1 "$(kept)"
is 'our own page can' 200 "$(status "$ingest" -H "Origin: http://127.0.0.1:$PORT" -H 'Sec-Fetch-Site: same-origin' --data-binary @a.folded)"
is 'by a configured name, too' 200 "$(status "$ingest" -H 'Origin: https://varve.corp' --data-binary @a.folded)"

# links
navigate() { # path options...
	path=$1
	shift
	status "$path" -H "$cross" -H 'Sec-Fetch-Mode: navigate' --compressed "$@"
}
is 'a link from elsewhere opens the pages' 200 "$(navigate '/profiles?query=x' -H 'Sec-Fetch-Dest: document')"
is 'but not in a frame' 403 "$(navigate /profiles -H 'Sec-Fetch-Dest: iframe')"
is 'and no data' 403 "$(navigate /api/v1/services -H 'Sec-Fetch-Dest: document')"
is 'and changes nothing' 403 "$(navigate "$ingest" --data-binary @a.folded)"
is 'an address that a user enters' 200 "$(status /api/v1/services -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate')"

# CORS
URL=http://$OTLP_HTTP
preflight() { status "$1" -X OPTIONS -H 'Access-Control-Request-Method: POST' -H 'Access-Control-Request-Headers: content-type' -H "Origin: $2" -H "$cross"; }
is 'a page that may send asks whether it may' 204 "$(preflight /v1/traces https://a.shop.example)"
expect_that 'it may' grep -qi '^access-control-allow-origin: https://a.shop.example' headers
expect_that 'with these headers' grep -qi '^access-control-allow-headers: .*content-type.*X-Tenant' headers
expect_that 'for so long' grep -qi '^access-control-max-age: 600' headers
is 'and sends' 200 "$(status /v1/traces -H 'Origin: https://a.shop.example' -H "$cross" -H 'Content-Type: application/json' -d '{}')"
expect_that 'and reads the answer' grep -qi '^access-control-allow-origin: https://a.shop.example' headers
is 'also of what fails' 400 "$(status /v1/traces -H 'Origin: https://a.shop.example' -H 'Content-Type: application/json' -d '{')"
expect_that 'so that it knows why' grep -qi '^access-control-allow-origin:' headers
is 'others may not' 403 "$(preflight /v1/traces https://shop.example.evil)"
expect_not 'which the browser is not told' grep -qi '^access-control-allow' headers
is 'nor send' 403 "$(status /v1/traces -H "$evil" -H 'Content-Type: application/json' -d '{}')"
URL=http://127.0.0.1:$PORT
is 'what has no CORS settings has no preflight' 405 "$(preflight /ingest https://a.shop.example)"
stop_server

# with tokens a page has none; but a browser has a password
start_server --token-file tokens --listen 0.0.0.0:0 --set 'receivers.otlp.protocols.http.cors.allowed_origins=["*"]'
URL=http://127.0.0.1:${URL##*:}
token='Authorization: Bearer 0123456789abcdef-all'
is 'with tokens any name is answered' 200 "$(status /api/v1/services -H 'Host: varve.anywhere' -H "$token")"
is 'another page with the password of a browser' 403 "$(status /api/v1/services -u me:0123456789abcdef-all -H "$cross")"
is 'and its form' 403 "$(status "$ingest" -u me:0123456789abcdef-all -H "$evil" --data-binary @a.folded)"
URL=http://$OTLP_HTTP
is 'a preflight has no token' 204 "$(preflight /v1/traces https://any.example)"
is 'what comes after it has to' 401 "$(status /v1/traces -H "$evil" -H 'Content-Type: application/json' -d '{}')"
is 'and then is taken' 200 "$(status /v1/traces -H "$evil" -H "$token" -H 'Content-Type: application/json' -d '{}')"
expect_that 'from all' grep -qi '^access-control-allow-origin: \*' headers
expect_not 'without passwords' grep -qi '^access-control-allow-credentials' headers
stop_server

start_server --insecure --listen 0.0.0.0:0
URL=http://127.0.0.1:${URL##*:}
is 'without tokens on all interfaces: any address' 200 "$(status /api/v1/services -H 'Host: 192.0.2.7:4040')"
is 'but no name of a page' 403 "$(status /api/v1/services -H 'Host: evil.example')"
expect_that 'it ends when asked to' stop_server

run server --data "$SCRATCH/data" --listen 127.0.0.1:0 --allowed-hosts http://varve.corp
expect 'a host with a scheme is a mistake' 2 'allowed_hosts.*expected a host.*http://varve.corp'
finish
