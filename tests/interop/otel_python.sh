#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The OpenTelemetry SDK for Python sends spans, metrics and logs to the collector: gRPC and HTTP, with and without
# compression.
set -eu
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
{ python3 -m venv "$SCRATCH/venv" && "$SCRATCH/venv/bin/pip" install -q opentelemetry-sdk==1.45.2 \
	opentelemetry-exporter-otlp==1.45.1; } >"$SCRATCH/pip.log" 2>&1 || {
	echo 'opentelemetry-sdk cannot be installed'
	exit 77
}
# shellcheck source=tests/interop/otel_sdk/sink.sh
. tests/interop/otel_sdk/sink.sh
cat >"$SCRATCH/app.py" <<'END_PYTHON'
import sys

from opentelemetry.exporter.otlp.proto.grpc import _log_exporter as grpc_logs
from opentelemetry.exporter.otlp.proto.grpc import metric_exporter as grpc_metrics
from opentelemetry.exporter.otlp.proto.grpc import trace_exporter as grpc_traces
from opentelemetry.exporter.otlp.proto.http import _log_exporter as http_logs
from opentelemetry.exporter.otlp.proto.http import metric_exporter as http_metrics
from opentelemetry.exporter.otlp.proto.http import trace_exporter as http_traces
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

way, protocol, compression, address = sys.argv[1:]
resource = Resource.create({"service.name": "python", "way": way})
if protocol == "grpc":
    import grpc
    coding = grpc.Compression.Gzip if compression == "gzip" else grpc.Compression.NoCompression
    options = {"endpoint": address, "insecure": True, "compression": coding}
    exporters = (grpc_traces.OTLPSpanExporter(**options), grpc_metrics.OTLPMetricExporter(**options),
                 grpc_logs.OTLPLogExporter(**options))
else:
    from opentelemetry.exporter.otlp.proto.http import Compression
    exporters = [e(endpoint=f"http://{address}/v1/{path}", compression=Compression(compression))
                 for e, path in ((http_traces.OTLPSpanExporter, "traces"),
                                 (http_metrics.OTLPMetricExporter, "metrics"),
                                 (http_logs.OTLPLogExporter, "logs"))]
traces = TracerProvider(resource=resource)
traces.add_span_processor(BatchSpanProcessor(exporters[0]))
metrics = MeterProvider([PeriodicExportingMetricReader(exporters[1], 3600000)], resource=resource)
logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(BatchLogRecordProcessor(exporters[2]))
with traces.get_tracer("interop").start_as_current_span("work", kind=SpanKind.SERVER) as span:
    span.set_attributes({"text": "\u00e4 <b>", "number": 42, "flag": True})
    span.add_event("retry", {"attempt": 2})
    span.set_status(Status(StatusCode.ERROR, "refused"))
    logs.get_logger("interop").emit(body="paid", severity_number=SeverityNumber.WARN,
                                    attributes={"order": 7})
meter = metrics.get_meter("interop")
meter.create_counter("orders", unit="1").add(5, {"kind": "book"})
size = meter.create_histogram("size", unit="By")
for n in (1, 10, 100):
    size.record(n)
for provider in (traces, metrics, logs):
    provider.shutdown()
END_PYTHON
start_sink
send() { # way protocol compression address
	"$SCRATCH/venv/bin/python" "$SCRATCH/app.py" "$@" >"$SCRATCH/app.log" 2>&1 || {
		cat "$SCRATCH/app.log"
		echo "$1: the program failed"
		exit 1
	}
}
send grpc grpc none "$GRPC"
send grpc_gzip grpc gzip "$GRPC"
send http http none "$HTTP"
send http_gzip http gzip "$HTTP"
send http_deflate http deflate "$HTTP"
stop_sink
check_sink python grpc grpc_gzip http http_gzip http_deflate
