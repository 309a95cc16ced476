# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A collector that keeps what an OpenTelemetry SDK sends, and the check of it. The program of a test sends, in each
# way, one span `work` (server, error, with attributes and an event), a counter `orders` of 5, a histogram `size`
# with 3 values, and a log record `paid`; its resource has service.name=LANGUAGE and way=WAY.
#
#     start_sink		sets $GRPC and $HTTP (address:port)
#     stop_sink			ends it, so that the files are complete
#     check_sink LANGUAGE WAY...	compare the files with what was to be sent
#
# shellcheck source=tests/server/collectors.sh
. tests/server/collectors.sh

start_sink() {
	cat >"$SCRATCH/sink.yaml" <<END_YAML
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}, http: {endpoint: "localhost:0"}}}
exporters:
  file/traces: {path: $SCRATCH/traces.json}
  file/metrics: {path: $SCRATCH/metrics.json}
  file/logs: {path: $SCRATCH/logs.json}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [file/traces]}
    metrics: {receivers: [otlp], exporters: [file/metrics]}
    logs: {receivers: [otlp], exporters: [file/logs]}
END_YAML
	NAME=sink start_collector --config "$SCRATCH/sink.yaml" || return 1
	export GRPC HTTP
	SINK=$COLLECTOR GRPC=$(collector_address 1) HTTP=$(collector_address 2)
	trap 'kill -9 $SINK 2>/dev/null || true' EXIT
}

stop_sink() {
	stop_collector TERM "$SINK"
	trap - EXIT
}

check_sink() {
	python3 - "$SCRATCH" "$@" <<'END_PYTHON'
import json
import sys

scratch, language, *ways = sys.argv[1:]


def value(v):
    kind, content = next(iter(v.items()))
    return int(content) if kind == "intValue" else content


def attributes(of):
    return {a["key"]: value(a["value"]) for a in of.get("attributes", [])}


def items(signal, outer, inner, field):
    """The items of a signal, by way."""
    found = {way: [] for way in ways}
    for line in open(f"{scratch}/{signal}.json"):
        for r in json.loads(line)[outer]:
            resource = attributes(r["resource"])
            assert resource["service.name"] == language, resource
            assert resource["telemetry.sdk.language"], resource
            for scope in r[inner]:
                assert scope["scope"]["name"] == "interop", scope["scope"]
                found[resource["way"]] += scope[field]
    return found


def one(list, what, way):
    assert len(list) == 1, f"{way}: {len(list)} {what}: {list}"
    return list[0]


spans = items("traces", "resourceSpans", "scopeSpans", "spans")
metrics = items("metrics", "resourceMetrics", "scopeMetrics", "metrics")
logs = items("logs", "resourceLogs", "scopeLogs", "logRecords")
for way in ways:
    span = one(spans[way], "spans", way)
    assert span["name"] == "work" and span["kind"] == 2, span
    assert span["status"] == {"message": "refused", "code": 2}, span
    got = attributes(span)
    assert got["text"] == "\u00e4 <b>" and got["number"] == 42 and got["flag"] is True, got
    assert value(span["attributes"][0]["value"]) is not None
    event = one(span["events"], "events", way)
    assert event["name"] == "retry" and attributes(event)["attempt"] == 2, event
    assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16, span
    assert 0 <= int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]) < 60e9, span

    # a reader may export several times: the last values count
    by_name = {m["name"]: m for m in metrics[way]}
    orders = by_name["orders"]["sum"]
    assert orders["isMonotonic"] and orders["aggregationTemporality"] == 2, orders
    point = one(orders["dataPoints"], "points", way)
    assert float(point.get("asInt", point.get("asDouble"))) == 5, point
    assert attributes(point) == {"kind": "book"}, point
    assert by_name["orders"]["unit"] == "1", by_name["orders"]
    size = one(by_name["size"]["histogram"]["dataPoints"], "points", way)
    assert int(size["count"]) == 3 and size["sum"] == 111, size
    assert sum(int(n) for n in size["bucketCounts"]) == 3, size

    record = one(logs[way], "log records", way)
    assert record["body"] == {"stringValue": "paid"}, record
    assert record["severityNumber"] == 13 and attributes(record)["order"] == 7, record
    assert record["traceId"] == span["traceId"], record
print(f"{language}: {len(ways)} ways")
END_PYTHON
}
