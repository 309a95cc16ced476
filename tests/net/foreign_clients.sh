#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Third-party clients against our server: curl over HTTP/1.1, HTTP/2 and TLS, and h2load.
# $ECHO_SERVER is tests/net/echo_server.c.
set -u
work=$(mktemp -d)
trap 'exec 3>&-; rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0

# check name command...
check() {
	name=$1
	shift
	number=$((number + 1))
	if "$@" >log 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' log
	fi
}
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# serve [certificate key]: start the server, which runs until descriptor 3 is closed; sets $port.
serve() {
	rm -f in out
	mkfifo in
	"$ECHO_SERVER" "$@" <in >out &
	exec 3>in
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s out ] && break
		sleep 0.1
	done
	port=$(cat out)
}

# same_back version curl-options...: a large body is returned unchanged, by that HTTP version
same_back() {
	version=$1
	shift
	got=$(curl -sS --max-time 30 -o back -w '%{http_version} %{http_code}' --data-binary @body "$@")
	[ "$got" = "$version 200" ] && cmp body back
}
status() {
	wanted=$1
	shift
	got=$(curl -sS --max-time 30 -o answer -w '%{http_code}' "$@")
	[ "$got" = "$wanted" ]
}
says() {
	"$@" && grep -q "$text" answer
}

dd if=/dev/urandom of=body bs=1000 count=3000 2>/dev/null
head -c 2000 body >small
if ! command -v curl >/dev/null; then
	skip 'curl' 'no curl'
else
	serve
	check 'curl, HTTP/1.1' same_back 1.1 --http1.1 "http://127.0.0.1:$port/echo"
	check 'curl, HTTP/1.1, Expect' same_back 1.1 --http1.1 -H 'Expect: 100-continue' "http://127.0.0.1:$port/echo"
	check 'curl, HTTP/1.1, chunked' same_back 1.1 --http1.1 -H 'Transfer-Encoding: chunked' "http://127.0.0.1:$port/echo"
	check 'curl, HTTP/1.1, compressed response' same_back 1.1 --compressed "http://127.0.0.1:$port/echo"
	check 'curl, upgrade offered' same_back 1.1 --http2 "http://127.0.0.1:$port/echo"
	check 'curl, HTTP/2 with prior knowledge' same_back 2 --http2-prior-knowledge "http://127.0.0.1:$port/echo"
	check 'curl, not found' status 404 "http://127.0.0.1:$port/nowhere"
	check 'curl, rejected upload over HTTP/1.1' status 404 --data-binary @body "http://127.0.0.1:$port/nowhere"
	check 'curl, rejected upload over HTTP/2' status 404 --http2-prior-knowledge --data-binary @small "http://127.0.0.1:$port/nowhere"
	text='"code":"invalid_argument"'
	check 'curl, Connect error' says status 400 -H 'Content-Type: application/proto' --data fail "http://127.0.0.1:$port/test.Echo/Echo"
	exec 3>&-
	wait
	if command -v openssl >/dev/null && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem \
		-out cert.pem -days 1 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 2>/dev/null; then
		serve cert.pem key.pem
		check 'curl, TLS, HTTP/1.1' same_back 1.1 --http1.1 --cacert cert.pem "https://127.0.0.1:$port/echo"
		check 'curl, TLS, HTTP/2 by ALPN' same_back 2 --cacert cert.pem "https://127.0.0.1:$port/echo"
		check 'curl, TLS 1.2' same_back 2 --tls-max 1.2 --cacert cert.pem "https://127.0.0.1:$port/echo"
		# shellcheck disable=SC2016 # expanded by the inner shell
		check 'TLS 1.1 is rejected' sh -c '! curl -sS --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 --cacert cert.pem "https://127.0.0.1:$1/echo"' sh "$port"
		exec 3>&-
		wait
	else
		skip 'TLS' 'no openssl'
	fi
fi

# h2load reports how many requests succeeded; all must.
all_succeed() {
	h2load -n 20000 -c 16 -m 20 -t 1 "$@" >load 2>&1
	grep -q '20000 succeeded, 0 failed, 0 errored' load || {
		cat load
		false
	}
}
if command -v h2load >/dev/null; then
	serve
	check 'h2load, 320 concurrent streams' all_succeed -d small "http://127.0.0.1:$port/echo"
	check 'h2load, HTTP/1.1' all_succeed --h1 -d small "http://127.0.0.1:$port/echo"
	exec 3>&-
	wait
else
	skip 'h2load' 'no nghttp2-client'
fi
echo "1..$number"
