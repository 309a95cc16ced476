#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus' node exporter is scraped by Prometheus itself, and by varve, which passes its metrics on
# in two ways: an endpoint that Prometheus scrapes, and remote write. Prometheus has the same series
# with the same values in all three ways; they become stale when the node exporter ends.
set -eu
for tool in prometheus prometheus-node-exporter python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cat >"$SCRATCH/check.py" <<'END_PYTHON'
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

scratch = os.environ["SCRATCH"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


node, exporter, prometheus = free_port(), free_port(), free_port()
running = []


def run(name, *command):
    log = open(f"{scratch}/{name}.log", "w")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    running.append(process)
    return process


def query(text):
    url = f"http://127.0.0.1:{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": text})
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)["data"]["result"]


def series(job):
    """The series of a way, without the labels that differ, and their values."""
    found = {}
    for row in query('{__name__=~"node_.+|go_.+|process_.+|promhttp_.+",job="%s"}' % job):
        labels = {k: v for k, v in row["metric"].items()
                  if k not in ("job", "instance") and not k.startswith("otel_scope")}
        # Prometheus 3 normalizes the bounds of scraped histograms
        for key in ("le", "quantile"):
            if key in labels:
                labels[key] = str(float(labels[key]))
        found[tuple(sorted(labels.items()))] = float(row["value"][1])
    return found


def wait(what, condition, seconds=60):
    deadline = time.time() + seconds
    while time.time() < deadline:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit(f"waited {seconds} s: {what}")


def compare(way):
    direct, ours = series("direct"), series(way)
    missing, added = set(direct) - set(ours), set(ours) - set(direct)
    if len(direct) < 300 or len(missing) + len(added) > 2:
        raise SystemExit(f"{way}: {len(direct)} series, missing {sorted(missing)[:3]}, "
                         f"added {sorted(added)[:3]}")
    wrong = [k for k in direct if k in ours and not
             (direct[k] == ours[k] or ours[k] != ours[k] or
              abs(direct[k] - ours[k]) <= 0.2 * max(abs(direct[k]), abs(ours[k]), 10))]
    if len(wrong) > len(direct) // 20:
        raise SystemExit(f"{way}: {len(wrong)} of {len(direct)} values differ: {wrong[:3]}")


def check():
    exposed = run("node", "prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{node}")
    open(f"{scratch}/prometheus.yaml", "w").write(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: direct
  static_configs: [{{targets: ['127.0.0.1:{node}']}}]
- job_name: endpoint
  honor_labels: true
  static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]
""")
    run("prometheus", "prometheus", f"--config.file={scratch}/prometheus.yaml",
        f"--storage.tsdb.path={scratch}/tsdb", f"--web.listen-address=127.0.0.1:{prometheus}",
        "--web.enable-remote-write-receiver", "--log.level=warn")
    wait("Prometheus is ready", lambda: query("up") is not None)
    open(f"{scratch}/varve.yaml", "w").write(f"""
receivers:
  prometheus/a:
    config:
      global: {{scrape_interval: 1s, scrape_timeout: 1s}}
      scrape_configs:
      - {{job_name: scraped, static_configs: [{{targets: ['127.0.0.1:{node}']}}]}}
  prometheus/b:
    config:
      global: {{scrape_interval: 1s, scrape_timeout: 1s}}
      scrape_configs:
      - {{job_name: written, static_configs: [{{targets: ['127.0.0.1:{node}']}}]}}
exporters:
  prometheus: {{endpoint: '127.0.0.1:{exporter}', enable_open_metrics: true}}
  prometheusremotewrite: {{endpoint: 'http://127.0.0.1:{prometheus}/api/v1/write'}}
service:
  pipelines:
    metrics/a: {{receivers: [prometheus/a], exporters: [prometheus]}}
    metrics/b: {{receivers: [prometheus/b], exporters: [prometheusremotewrite]}}
""")
    run("varve", os.environ["VARVE"], "collector", "--config", f"{scratch}/varve.yaml")
    for way in ("scraped", "written"):
        wait(f"{way}: up", lambda way=way: query('up{job="%s"} == 1' % way))
        wait(f"{way}: rates", lambda way=way:
             query('rate(promhttp_metric_handler_requests_total{job="%s",code="200"}[10s]) > 0'
                   % way))
        wait(f"{way}: series", lambda way=way: len(series(way)) >= len(series("direct")) - 2)
        compare(way)
    exposed.terminate()
    for way in ("scraped", "written"):
        wait(f"{way}: down", lambda way=way: query('up{job="%s"} == 0' % way))
        wait(f"{way}: stale", lambda way=way: not series(way))
    log = open(f"{scratch}/prometheus.log").read()
    if "out of order" in log.lower() or "out-of-order" in log.lower():
        raise SystemExit("Prometheus found samples out of order")


try:
    check()
finally:
    for process in running:
        process.send_signal(signal.SIGTERM)
    for process in running:
        process.wait(20)
print("same series by scrape and remote write")
END_PYTHON
python3 "$SCRATCH/check.py" 2>"$SCRATCH/error.log" || {
	for log in varve prometheus; do
		tail -n 5 "$SCRATCH/$log.log"
	done
	tail -n 1 "$SCRATCH/error.log"
	exit 1
}
