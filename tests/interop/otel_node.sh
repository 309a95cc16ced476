#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The OpenTelemetry SDK for Node sends spans, metrics and logs to the collector: gRPC, HTTP with protobuf and with
# JSON, with and without gzip.
set -eu
for tool in node npm python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
wanted=
for package in api@1.9.1 api-logs@0.223.1 resources@2.12.1 sdk-logs@0.223.1 sdk-metrics@2.12.1 sdk-trace-base@2.12.1; do
	wanted="$wanted @opentelemetry/$package"
done
for signal in trace:0.223.1 metrics:0.223.0 logs:0.223.1; do
	for protocol in grpc http proto; do
		wanted="$wanted @opentelemetry/exporter-${signal%:*}-otlp-$protocol@${signal#*:}"
	done
done
# shellcheck disable=SC2086 # one word for each package
(cd "$SCRATCH" && npm init -y && npm install --no-audit --no-fund $wanted) \
	>"$SCRATCH/npm.log" 2>&1 || {
	echo '@opentelemetry packages cannot be installed'
	exit 77
}
# shellcheck source=tests/interop/otel_sdk/sink.sh
. tests/interop/otel_sdk/sink.sh
cat >"$SCRATCH/app.js" <<'END_JS'
const { SpanKind, SpanStatusCode, context, trace } = require('@opentelemetry/api');
const { SeverityNumber } = require('@opentelemetry/api-logs');
const { resourceFromAttributes, defaultResource } = require('@opentelemetry/resources');
const { LoggerProvider, BatchLogRecordProcessor } = require('@opentelemetry/sdk-logs');
const { MeterProvider, PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics');
const { BasicTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');

const [way, protocol, compression, address] = process.argv.slice(2);
const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': 'node', way }));
function exporter(signal, name, path) {
	const url = 'http://' + address + (protocol === 'grpc' ? '' : '/v1/' + path);
	return new (require('@opentelemetry/exporter-' + signal + '-otlp-' + protocol)[name])({ url, compression });
}
const traces = new BasicTracerProvider({ resource,
	spanProcessors: [new BatchSpanProcessor(exporter('trace', 'OTLPTraceExporter', 'traces'))] });
const metrics = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader({
	exporter: exporter('metrics', 'OTLPMetricExporter', 'metrics'), exportIntervalMillis: 3600000 })] });
const logExporter = exporter('logs', 'OTLPLogExporter', 'logs');
const logs = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter: logExporter })] });

const span = traces.getTracer('interop').startSpan('work', { kind: SpanKind.SERVER });
span.setAttributes({ text: '\u00e4 <b>', number: 42, flag: true });
span.addEvent('retry', { attempt: 2 });
span.setStatus({ code: SpanStatusCode.ERROR, message: 'refused' });
logs.getLogger('interop').emit({ body: 'paid', severityNumber: SeverityNumber.WARN, attributes: { order: 7 },
	context: trace.setSpan(context.active(), span) });
span.end();
const meter = metrics.getMeter('interop');
meter.createCounter('orders', { unit: '1' }).add(5, { kind: 'book' });
const size = meter.createHistogram('size', { unit: 'By' });
for (const n of [1, 10, 100])
	size.record(n);
Promise.all([traces.shutdown(), metrics.shutdown(), logs.shutdown()]).catch((e) => {
	console.error(e);
	process.exit(1);
});
END_JS
start_sink
send() { # way protocol compression address
	(cd "$SCRATCH" && node app.js "$@") >"$SCRATCH/app.log" 2>&1 || {
		cat "$SCRATCH/app.log"
		echo "$1: the program failed"
		exit 1
	}
}
send grpc grpc none "$GRPC"
send grpc_gzip grpc gzip "$GRPC"
send proto proto none "$HTTP"
send proto_gzip proto gzip "$HTTP"
send json http none "$HTTP"
send json_gzip http gzip "$HTTP"
stop_sink
check_sink node grpc grpc_gzip proto proto_gzip json json_gzip
