#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# @grpc/grpc-js against our server: small, large and compressed messages, error codes, texts and
# details, deadlines, concurrent calls.
set -eu
for tool in node npm; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
[ -x "${ECHO_SERVER:-}" ] || {
	echo "no ECHO_SERVER"
	exit 77
}
cd "$SCRATCH"
npm install --silent --no-audit --no-fund @grpc/grpc-js@1 >npm.log 2>&1 || {
	echo "no @grpc/grpc-js: npm cannot install it"
	exit 77
}
cat >test.js <<'END_JS'
const grpc = require('@grpc/grpc-js');
const assert = require('assert');
const same = (x) => x;

function client(options) {
	return new grpc.Client('127.0.0.1:' + process.argv[2], grpc.credentials.createInsecure(), options);
}
function call(c, message, path = '/test.Echo/Echo') {
	return new Promise((resolve) => {
		c.makeUnaryRequest(path, same, same, Buffer.from(message), new grpc.Metadata(),
			{ deadline: Date.now() + 30000 }, (error, reply) => resolve({ error, reply }));
	});
}
(async () => {
	const c = client({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
	assert.equal((await call(c, 'hello')).reply.toString(), 'hello');
	assert.equal((await call(c, '')).reply.length, 0);
	const large = Buffer.alloc(5000000, 'abc');
	assert.ok((await call(c, large)).reply.equals(large));
	let { error } = await call(c, 'fail');
	assert.equal(error.code, 3);
	assert.equal(error.details, 'bad \u00e4 %');
	({ error } = await call(c, 'later'));
	assert.equal(error.code, 14);
	assert.ok(error.metadata.get('grpc-status-details-bin')[0].includes('google.rpc.RetryInfo'));
	({ error } = await call(c, 'x', '/no.Such/Method'));
	assert.equal(error.code, 12);
	assert.equal((await call(c, '', '/grpc.health.v1.Health/Check')).reply.toString('hex'), '0801');
	const z = client({ 'grpc.default_compression_algorithm': 2 });
	assert.ok((await call(z, large.subarray(0, 1000000))).reply.equals(large.subarray(0, 1000000)));
	const many = await Promise.all(Array.from({ length: 500 }, (_, i) => call(c, 'm' + i)));
	many.forEach((r, i) => assert.equal(r.reply.toString(), 'm' + i));
	process.exit(0);
})().catch((e) => { console.error(e); process.exit(1); });
END_JS
mkfifo in
"$ECHO_SERVER" <in >port &
exec 3>in
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -s port ] && break
	sleep 0.2
done
rc=0
node test.js "$(cat port)" || rc=$?
exec 3>&-
wait
exit $rc
