#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119
# Dashboards of a real server: the command, scopes of tokens, tenants, versions, kill -9, audit log.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# status URL-PATH curl-options...: the HTTP status; the body is in `out`, the headers in `headers`
status() {
	path=$1
	shift
	curl -s --path-as-is -o out -D headers -w '%{http_code}' "$@" "$URL$path" 2>err
}
is() { # name expected actual
	if [ "$2" = "$3" ]; then report ok "$1"; else report 'not ok' "$1 (expected $2, got $3)"; fi
}
boards=/api/v1/dashboards
printf '{"version":1,"title":"Shop","panels":[]}' >shop.json
printf '{"version":1,\n "title":"Bad","panles":[]}' >bad.json

# ---- the command
start_server
export VARVE_URL="$URL"
run dashboard import shop.json
expect 'a document is imported under the name of its file' 0 'imported as shop'
run dashboard import shop.json --name other
expect 'or under another one' 0 'imported as other'
run dashboard list
expect 'dashboards are listed' 0 '^shop +0 +Shop' '^other '
run dashboard export shop -o exported.json
expect 'a dashboard is exported' 0
expect_that 'byte by byte' cmp shop.json exported.json
run dashboard import bad.json
expect 'an invalid document is refused with its place' 2 'line 2, column 16' 'panles'
run dashboard delete other
expect 'a dashboard is deleted' 0 'other: deleted'
run dashboard export other
expect 'it is gone' 2 'no dashboard "other"'
run dashboard delete ../shop
expect 'a path is not a name' 2 'not the name'
run dashboard
expect 'an action is needed' 2 'list, export'

# ---- versions and paths
etag=$(curl -s -D - -o shown "$URL$boards/shop" | tr -d '\r' | sed -n 's/^etag: //p')
is 'the right version is replaced' 200 "$(status $boards/shop -X PUT -H "If-Match: $etag" -d '{"version":1,"title":"B","panels":[]}')"
is 'an old one is not' 412 "$(status $boards/shop -X PUT -H "If-Match: $etag" --data-binary @shop.json)"
expect_that 'with the reason' grep -q 'changed meanwhile' out
is 'an existing one is not created' 412 "$(status $boards/shop -X PUT -H 'If-None-Match: *' --data-binary @shop.json)"
for path in $boards/../../x $boards/..%2fx $boards/.x $boards/a/b; do
	code=$(status "$path" -X PUT --data-binary @shop.json)
	case $code in
	400 | 404 | 405) report ok "$path is refused" ;;
	*) report 'not ok' "$path is refused (got $code)" ;;
	esac
done
is 'a page of another origin changes nothing' 403 "$(status $boards/shop -X PUT -H 'Origin: http://evil.example' --data-binary @shop.json)"
stop_server KILL
start_server
is 'a saved dashboard survives kill -9' 200 "$(status $boards/shop)"
expect_that 'as it was saved' grep -q '"title":"B"' out
stop_server
expect_that 'changes are in the audit log' grep -q '"action":"dashboard.put","object":"shop".*"detail":"Shop"' data/audit.log
expect_that 'deletions, too' grep -q '"action":"dashboard.delete","object":"other"' data/audit.log
run audit data/audit.log
expect 'whose chain is whole' 0

# ---- tokens and tenants
make() { "$VARVE" token new --file tokens --name "$@" 2>>err; }
reader=$(make reader --scope read)
writer=$(make writer --scope read,write)
sender=$(make sender --scope read,write --service shop)
start_server --token-file tokens --tenants
as() { # token tenant path curl-options...
	token=$1 tenant=$2 path=$3
	shift 3
	status "$path" -H "Authorization: Bearer $token" -H "X-Scope-OrgID: $tenant" "$@"
}
is 'a reader changes nothing' 403 "$(as "$reader" red $boards/shop -X PUT --data-binary @shop.json)"
is 'nor does a token of a service' 403 "$(as "$sender" red $boards/shop -X PUT --data-binary @shop.json)"
is 'a writer does' 200 "$(as "$writer" red $boards/shop -X PUT --data-binary @shop.json)"
is 'a reader of the tenant sees it' 200 "$(as "$reader" red $boards/shop)"
is 'another tenant does not' 404 "$(as "$reader" blue $boards/shop)"
is 'and lists nothing' 200 "$(as "$reader" blue $boards)"
expect_that 'of other tenants' grep -q '"dashboards":\[\]' out
is 'without a token nothing is read' 401 "$(status $boards)"
stop_server
finish
