#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pyroscope's generated Go client pushes to the real server and queries it: every call, by Connect,
# gRPC and gRPC-web. Also, go tool pprof reads a profile over HTTP.
set -eu
command -v go >/dev/null || {
	echo "no go"
	exit 77
}
cp "$(dirname "$0")/querier/main.go" "$SCRATCH"
cd "$SCRATCH"
cat >go.mod <<'END'
module probe

go 1.24

require github.com/grafana/pyroscope/api v1.6.0
END
go mod tidy >tidy.log 2>&1 && go build -o probe . >build.log 2>&1 || {
	tail -n 1 tidy.log build.log
	echo "no modules: $(tail -n 1 tidy.log)"
	exit 77
}

"$VARVE" up --no-self-profile --data data -l 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 2>log &
server=$!
trap 'kill $server 2>/dev/null; wait' EXIT
for _ in $(seq 100); do
	url=$(sed -n 's/.*msg=ready.* http=\([^ ]*\).*/\1/p' log)
	[ -n "$url" ] && break
	sleep 0.1
done
./probe "http://$url" || {
	echo "calls with unexpected results"
	exit 1
}
go tool pprof -top "http://$url/api/v1/profile?type=things" >top 2>&1
grep -q 'inner' top || {
	cat top
	echo "go tool pprof cannot read the profile"
	exit 1
}
