#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119
# Tokens with scopes and services, made by `varve token`; reload of tokens and certificates when the
# files change; limits; users of a reverse proxy; security headers; the audit log.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# shellcheck disable=SC2317 # called by expect_that
patiently() {
	tries=300
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.2
	done
}
# status URL-PATH curl-options...: the HTTP status; the body is in `out`, the headers in `headers`
status() {
	path=$1
	shift
	curl -s -o out -D headers -w '%{http_code}' "$@" "$URL$path" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
# shellcheck disable=SC2317
status_is() { [ "$(status "$2" -H "Authorization: Bearer $3")" = "$1" ]; }
ingest() { # token service: the status of a write
	printf 'main;a 1\n' | status "/ingest?name=$2%7B%7D&spyName=x" -H "Authorization: Bearer $1" --data-binary @-
}
make() { # name options...: make a token, print it
	name=$1
	shift
	"$VARVE" token new --file tokens --name "$name" "$@" 2>>err
}

# ---- the command
run token new --file tokens --scope root
expect 'an unknown scope is an error' 2 'unknown scope "root"'
run token new --file tokens --expires yesterday
expect 'so is a wrong time' 2 '--expires'
run token list --file tokens
expect 'a file that does not exist is an error' 2 'tokens'
reader=$(make reader --scope read)
writer=$(make writer --scope write --service 'shop,cart')
limited=$(make limited --scope read --service shop)
admin=$(make admin --scope admin --expires never)
slow=$(make slow --scope read --rate 1)
old=$(make old --scope read --expires 1s)
expect_that 'a token has a prefix and a checksum' expr "$reader" : 'varve_[0-9A-Za-z]\{49\}$'
expect_not 'the file has no token' grep -q -e "$reader" -e "$admin" tokens
expect_that 'the file is for its owner only' test "$(stat -c %a tokens)" = 600
run token list --file tokens
expect 'tokens are listed' 0 'reader' 'valid +read ' 'shop,cart' 'never'
id() { sed -n "s/.* id=\([0-9a-f]*\) name=$1 .*/\1/p" tokens; }

# ---- scopes
start_server --token-file tokens
is 'a token to write writes' 200 "$(ingest "$writer" shop)"
is 'it cannot write another service' 403 "$(ingest "$writer" other)"
expect_that 'the refusal names the service' grep -q 'service .*other' out
is 'it reads nothing' 403 "$(status /api/v1/services -H "Authorization: Bearer $writer")"
expect_that 'the refusal names the scope' grep -q 'does not have the scope read' out
is 'a token to read reads' 200 "$(status '/api/v1/services?from=0' -H "Authorization: Bearer $reader")"
expect_that 'all services' grep -q '"shop"' out
is 'it writes nothing' 403 "$(ingest "$reader" shop)"
is 'it deletes nothing' 403 "$(status '/api/v1/data?query=%7B%7D&before=now' -X DELETE -H "Authorization: Bearer $reader")"
is 'it queries by RPC' 200 "$(status /querier.v1.QuerierService/ProfileTypes -H 'Content-Type: application/json' -d '{}' -H "Authorization: Bearer $reader")"
is 'the data of another service' 200 "$(ingest "$admin" secret)"
is 'a token for a service reads' 200 "$(status '/api/v1/services?from=0' -H "Authorization: Bearer $limited")"
expect_that 'it sees its service' grep -q '"shop"' out
expect_not 'and no other' grep -q secret out
is 'a query of another service has no data for it' 404 "$(status '/api/v1/top?query=secret&type=cpu&from=0' -H "Authorization: Bearer $limited")"
expect_not 'no function of it is returned' grep -q '"main"' out
is 'an empty selector neither' 200 "$(status '/api/v1/label-values?name=service_name&from=0' -H "Authorization: Bearer $limited")"
expect_not 'no value of another service' grep -q secret out
is 'by RPC' 200 "$(status /querier.v1.QuerierService/LabelValues -H 'Content-Type: application/json' -d '{"name":"service_name","start":"1","end":"4000000000000"}' -H "Authorization: Bearer $limited")"
expect_not 'no value of another service by RPC' grep -q secret out
for path in /api/v1/stats /api/v1/status /metrics '/api/v1/spans?query=shop'; do
	is "$path is not for a token of a service" 403 "$(status "$path" -H "Authorization: Bearer $limited")"
done
is 'an administrator deletes' 200 "$(status '/api/v1/data?query=nobody&before=now' -X DELETE -H "Authorization: Bearer $admin")"
expect_that 'the deletion is in the audit log' grep -q '"action":"data.delete","object":"nobody","tenant":"","result":"done"' data/audit.log

"$VARVE" token new --file tokens --scope read --name near --address 127.0.0.0/8,::1 >near.token 2>>err
"$VARVE" token new --file tokens --scope read --name far --address 10.0.0.0/8 >far.token 2>>err
sleep 3 # the file is read again
is 'a token is valid from its addresses' 200 "$(status /api/v1/services -H "Authorization: Bearer $(cat near.token)")"
is 'and from no other' 401 "$(status /api/v1/services -H "Authorization: Bearer $(cat far.token)")"
expect_that 'with the reason' grep -q 'not valid from this address' out
run token new --file tokens --address 10.0.0.0/40
expect 'an impossible network is refused' 2 '--address: expected'

echo "${reader%??}xx" >typo.token
run query services --url "$URL" --token-file typo.token
expect 'a typing error in a token is noticed before it is sent' 2 'typo.token: the token is incomplete'

# ---- headers of every response
for path in /ready /api/v1/services / /ingest; do
	status "$path" -H "Authorization: Bearer $reader" >/dev/null
	for header in 'x-content-type-options: nosniff' 'cross-origin-resource-policy: same-origin' 'x-frame-options: DENY'; do
		[ "$path" = /ingest ] && continue # a refusal before admission: there is no GET
		expect_that "$path has $header" grep -qi "^$header" headers
	done
done
status / >/dev/null
expect_that 'pages have a content security policy' grep -qi "^content-security-policy: default-src 'none'.*frame-ancestors 'none'" headers

# ---- limits
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	last=$(status /api/v1/services -H "Authorization: Bearer $slow")
	[ "$last" = 429 ] && break
done
is 'the requests of a token are limited' 429 "$last"
expect_that 'with the time to wait' grep -qi '^retry-after: [1-9]' headers
expect_that 'an expired token is refused' patiently status_is 401 /api/v1/services "$old"
expect_that 'the refusal says so' grep -q 'has expired' out

# ---- reload when the file changes
fresh=$(make fresh --scope read)
expect_that 'a new token is accepted within seconds, without a signal' patiently status_is 200 /api/v1/services "$fresh"
run token revoke "$(id fresh)" --file tokens
expect 'a token is revoked by its id' 0 'is revoked'
expect_that 'it is refused within seconds' patiently status_is 401 /api/v1/services "$fresh"
run token list --file tokens
expect 'the list shows it' 0 "$(id fresh) +revoked"
run token revoke 000000000000 --file tokens
expect 'an unknown id is an error' 2 'no token with the id'
cp tokens good
echo 'sha256:00 id=x scopes=read' >>tokens
expect_that 'a mistake in the file is logged with its line' patiently grep -q 'tokens:[0-9]*: expected 64 hex digits' server.log
is 'the tokens before it stay valid' 200 "$(status /api/v1/services -H "Authorization: Bearer $reader")"
mv good tokens

# ---- wrong tokens
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	last=$(status /api/v1/services -H "Authorization: Bearer wrong-token-number-$i")
done
is 'too many wrong tokens of an address are refused before they are looked up' 429 "$last"
is 'a token that is in use there is still accepted' 200 "$(status /api/v1/services -H "Authorization: Bearer $reader")"
expect_that 'they are in the audit log, without the token' grep -q '"action":"access.refused".*unknown token' data/audit.log
expect_not 'no token is in a log' grep -q -e 'wrong-token' -e "$reader" -e "$writer" data/audit.log server.log
run audit data/audit.log
expect 'the audit log is intact' 0 'lines are intact'
expect_that 'the server ends on SIGTERM' stop_server
sed '3s/refused/done/' data/audit.log >changed.log
run audit changed.log
expect 'a changed line is found' 1 'changed.log:3: its hash is wrong'

# ---- certificates
certificate() { # name
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout new.key -out new.pem -days 2 -subj "/CN=$1" \
		-addext subjectAltName=IP:127.0.0.1 >out 2>err
	mv new.key key.pem
	mv new.pem cert.pem
}
# shellcheck disable=SC2317
serves() { openssl s_client -connect "127.0.0.1:$PORT" </dev/null 2>/dev/null | openssl x509 -noout -subject 2>/dev/null | grep -q "$1"; }
certificate first
start_server --tls-cert cert.pem --tls-key key.pem
expect_that 'the certificate is used' serves first
certificate second
expect_that 'a new one is used within seconds, without a signal' patiently serves second
expect_that 'the server ends on SIGTERM' stop_server

# ---- a reverse proxy
start_server --token-file tokens --set 'service.access.proxy={peers: [127.0.0.1], grants: ["dev:read", "sre: read,control"]}'
is 'a user of the proxy reads by the grant of a group' 200 "$(status /api/v1/services -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: qa, dev')"
is 'and does not control' 403 "$(status /api/v1/control -d '{}' -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: qa, dev')"
is 'another group does' 404 "$(status /api/v1/control -d '{"service":"x","cpu_hz":5,"seconds":5}' -H 'X-Forwarded-User: bob' -H 'X-Forwarded-Groups: sre')"
is 'a user without a grant is refused' 403 "$(status /api/v1/services -H 'X-Forwarded-User: eve' -H 'X-Forwarded-Groups: sales')"
is 'a second user header is refused' 403 "$(status /api/v1/services -H 'X-Forwarded-User: alice' -H 'X-Forwarded-User: bob' -H 'X-Forwarded-Groups: dev')"
is 'without a user a token is needed' 401 "$(status /api/v1/services)"
is 'tokens work beside users' 200 "$(status /api/v1/services -H "Authorization: Bearer $reader")"
is 'requests of other origins are refused for users, too' 403 "$(status /api/v1/services -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: dev' -H 'Sec-Fetch-Site: cross-site')"
expect_that 'the server ends on SIGTERM' stop_server
start_server --token-file tokens --set 'service.access.proxy={peers: [192.0.2.1], grants: ["*:admin"]}'
is 'headers from other addresses are ignored' 401 "$(status /api/v1/services -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: dev')"
expect_that 'the server ends on SIGTERM' stop_server
run server --data x --listen 127.0.0.1:0 --set 'service.access.proxy={peers: [everybody]}'
expect 'a wrong setting is an error' 2 'peers'
finish
