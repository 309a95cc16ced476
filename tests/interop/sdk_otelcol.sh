#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libvarve exports profiles, spans and metrics to an OpenTelemetry Collector by HTTP and gRPC. The
# collector decodes them and forwards them as JSON, which is compared with the data sent.
set -eu
otelcol=${XDG_CACHE_HOME:-$HOME/.cache}/varve/otelcol/0.159.0/otelcol
[ -x "$otelcol" ] || {
	echo "no collector: interop/otelcol builds it"
	exit 77
}
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
SENDER=${SENDER:-$PWD/build/tests/sender}
cd "$SCRATCH"
cat >keep.py <<'END_PYTHON'
import http.server
import os
import socket

class Keep(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("got" + self.path.replace("/", "_"), "ab") as out:
            out.write(body + b"\n")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

server = http.server.HTTPServer(("127.0.0.1", 0), Keep)
with open("ports.new", "w") as out:
    out.write(f"{server.server_port} {free_port()} {free_port()}\n")
os.rename("ports.new", "ports")
server.serve_forever()
END_PYTHON
python3 keep.py 2>keep.log &
keep=$!
collector=
trap 'kill $keep $collector 2>/dev/null' EXIT
tries=100
until [ -e ports ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || { echo 'the recording server did not start' && exit 1; }
	sleep 0.1
done
read -r kept http grpc <ports
cat >collector.yaml <<END_YAML
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:$grpc"}, http: {endpoint: "127.0.0.1:$http"}}}
exporters:
  otlp_http: {endpoint: "http://127.0.0.1:$kept", encoding: json, compression: none, sending_queue: {enabled: false}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp_http]}
    metrics: {receivers: [otlp], exporters: [otlp_http]}
    profiles: {receivers: [otlp], exporters: [otlp_http]}
END_YAML
"$otelcol" --config collector.yaml --feature-gates=service.profilesSupport 2>otelcol.log &
collector=$!
tries=300
until grep -qs 'Everything is ready' otelcol.log; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || { tail -5 otelcol.log && exit 1; }
	sleep 0.1
done

for way in http/protobuf:$http grpc:$grpc; do
	rm -f got*
	VARVE_ENDPOINT=http://127.0.0.1:${way##*:} VARVE_PROTOCOL=${way%:*} VARVE_SERVICE_NAME=shop \
		VARVE_TRACE_PROFILER=1 "$SENDER" >sent || { cat sent && exit 1; }
	grep -qx 'failed 0' sent || { cat sent && exit 1; }
	span=$(sed -n 's/^span //p' sent)
	python3 - "$span" "$way" <<'END_PYTHON'
import base64
import json
import sys

span_id, way = sys.argv[1:]

def messages(path):
    with open("got_" + path) as lines:
        return [json.loads(line) for line in lines]

def name_of(resource):
    return {a["key"]: a["value"] for a in resource["attributes"]}["service.name"]["stringValue"]

spans = [s for m in messages("v1_traces") for r in m["resourceSpans"] for c in r["scopeSpans"] for s in c["spans"]]
work = [s for s in spans if s["name"] == "work"]
assert len(work) == 1 and work[0]["spanId"] == span_id, (way, spans)
assert int(work[0]["endTimeUnixNano"]) - int(work[0]["startTimeUnixNano"]) >= 100_000_000, work
assert any(s["name"] == "cpu-profile-collection" for s in spans), spans
metrics = messages("v1_metrics")[0]["resourceMetrics"][0]
assert name_of(metrics["resource"]) == "shop"
names = {m["name"] for m in metrics["scopeMetrics"][0]["metrics"]}
assert {"process.memory.usage", "process.context_switches", "varve.profiler.samples"} <= names, names
profiles = messages("v1development_profiles")
assert name_of(profiles[0]["resourceProfiles"][0]["resource"]) == "shop"
links = {l.get("spanId") for m in profiles for l in m["dictionary"]["linkTable"]}
assert span_id in links or base64.b64encode(bytes.fromhex(span_id)).decode() in links, (way, links)
assert any("burn" in s for m in profiles for s in m["dictionary"]["stringTable"])
print("#", way, len(spans), "spans,", len(names), "metrics")
END_PYTHON
done
