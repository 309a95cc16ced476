#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Node program with @pyroscope/nodejs sends wall and heap profiles to the server.
set -eu
command -v npm >/dev/null || {
	echo 'no npm'
	exit 77
}
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
(cd "$SCRATCH" && npm init -y && npm install --no-audit --no-fund @pyroscope/nodejs@0.6.4 &&
	node -e 'require("@pyroscope/nodejs")') >"$SCRATCH/npm.log" 2>&1 || {
	echo '@pyroscope/nodejs cannot be installed or loaded'
	exit 77
}
start_server
trap 'stop_server' EXIT
cat >"$SCRATCH/app.js" <<'END_JS'
const Pyroscope = require('@pyroscope/nodejs');

Pyroscope.init({
	serverAddress: process.argv[2],
	appName: 'node.app',
	tags: { env: 'test' },
	flushIntervalMs: 2000,
	wall: { samplingDurationMs: 2000, collectCpuTime: true },
});
Pyroscope.start();
const kept = [];
function spinForTheTest(ms) {
	for (const end = Date.now() + ms; Date.now() < end;)
		kept.push(Math.random().toString(36).repeat(50));
}
const end = Date.now() + 6000;
(function next() {
	spinForTheTest(100);
	if (Date.now() < end)
		setTimeout(next, 10);
	else
		Pyroscope.stop().then(() => process.exit(0));
})();
END_JS
(cd "$SCRATCH" && node app.js "$URL") >"$SCRATCH/app.log" 2>&1

query() { "$VARVE" query "$@" --url "$URL" --from now-1h; }
query types 'node.app{env="test"}' >"$SCRATCH/types"
for type in wall: memory:inuse_space:bytes process_cpu:cpu:nanoseconds; do
	grep -q "$type" "$SCRATCH/types" || {
		cat "$SCRATCH/types" "$SCRATCH/app.log"
		echo "no $type"
		exit 1
	}
done
query top node.app --type wall -n 30 >"$SCRATCH/top"
grep -q spinForTheTest "$SCRATCH/top" || {
	cat "$SCRATCH/top"
	echo 'the hot function is not in the table'
	exit 1
}
