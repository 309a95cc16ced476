#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus scrapes an exporter, writes the samples to varve, and both answer the same queries with the
# same results. A second Prometheus without data answers them by remote read of varve, and scrapes
# varve's federation. promtool queries varve.
set -eu
for tool in prometheus promtool python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cat >"$SCRATCH/check.py" <<'END_PYTHON'
import http.server
import json
import math
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

scratch = os.environ["SCRATCH"]
running = []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


exporter, prometheus, reader, varve, own = (free_port() for _ in range(5))
DIRECT = f"http://127.0.0.1:{prometheus}"
READER = f"http://127.0.0.1:{reader}"
VARVE = f"http://127.0.0.1:{varve}/prometheus"
OWN = f"http://127.0.0.1:{own}"


class Exporter(http.server.BaseHTTPRequestHandler):
    """Counters, gauges, histograms and summaries that change with each scrape."""
    scrapes = 0

    def do_GET(self):
        Exporter.scrapes += 1
        n = Exporter.scrapes
        out = ["# TYPE http_requests_total counter"]
        for i, (method, route) in enumerate([("GET", "/"), ("GET", "/pay"), ("POST", "/pay"),
                                             ("POST", "/cart"), ("PUT", "/cart")]):
            # the last one is reset every five scrapes
            value = (n % 5) * 7 if i == 4 else n * (i + 1) * 1.5
            out.append(f'http_requests_total{{method="{method}",route="{route}"}} {value}')
        out.append("# TYPE temperature gauge")
        for i, room in enumerate(["a", "b", "c", "10", "9"]):
            value = "NaN" if room == "9" else 20 + 5 * math.sin(n * (i + 1) / 3)
            out.append(f'temperature{{room="{room}",floor="{i % 2}"}} {value}')
        out.append("# TYPE limit gauge")
        out.append('limit{floor="0"} 22')
        out.append('limit{floor="1"} -Inf')
        if n % 3:
            out.append("sometimes 1")
        out.append("# TYPE latency_seconds histogram")
        for method in ("GET", "POST"):
            total = 0
            for le, count in (("0.1", n), ("0.5", 2 * n), ("1", 1), ("+Inf", n // 2)):
                total += count
                out.append(f'latency_seconds_bucket{{method="{method}",le="{le}"}} {total}')
            out.append(f'latency_seconds_sum{{method="{method}"}} {n * 0.7}')
            out.append(f'latency_seconds_count{{method="{method}"}} {total}')
        out.append("# TYPE size summary")
        out.append(f'size{{quantile="0.5"}} {n % 4}')
        out.append(f"size_sum {n * 3}\nsize_count {n}")
        out.append('build_info{version="1.2.3",branch="main"} 1')
        body = ("\n".join(out) + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def run(name, *command):
    log = open(f"{scratch}/{name}.log", "w")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    running.append(process)
    return process


def call(base, path, parameters, post=False):
    data = urllib.parse.urlencode(parameters, doseq=True)
    url = f"{base}/api/v1/{path}" + ("" if post else "?" + data)
    try:
        with urllib.request.urlopen(url, data.encode() if post else None, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as e:
        return json.load(e)


def instant(base, text, at, post=False):
    return call(base, "query", {"query": text, "time": f"{at:.3f}"}, post)


def wait(what, condition, seconds=60):
    deadline = time.time() + seconds
    while time.time() < deadline:
        try:
            if condition():
                return
        except (OSError, KeyError, IndexError):
            pass
        time.sleep(0.3)
    raise SystemExit(f"waited {seconds} s: {what}")


# Of all kinds; @T is the time of the query.
QUERIES = r"""
http_requests_total
{job="e",__name__=~"http_.*|limit"}
http_requests_total{method!="GET",route=~"/(pay|cart)"}
http_requests_total offset 3s
http_requests_total @ @T offset -1s
temperature > 20
temperature > bool 20
-temperature
temperature * 2 + 1
2 ^ temperature % 7
temperature / on(floor) group_left limit
limit - on(floor) group_right temperature
http_requests_total and on(route) http_requests_total{method="PUT"}
http_requests_total unless on(route) http_requests_total{method="PUT"}
http_requests_total{method="GET"} or http_requests_total{route="/cart"}
temperature == temperature
temperature != temperature
temperature atan2 on(room) temperature
temperature >= on(floor) group_left(instance) limit
sum(http_requests_total)
sum by (method) (http_requests_total)
sum without (instance, job, method) (http_requests_total)
avg by (floor) (temperature{room!="9"})
min(temperature)
max by (floor) (temperature)
count by (floor) (temperature)
group by (method) (http_requests_total)
stddev(http_requests_total)
stdvar by (method) (http_requests_total)
topk(2, http_requests_total)
bottomk by (floor) (1, temperature)
quantile(0.3, http_requests_total)
quantile by (method) (0.9, http_requests_total)
count_values("value", limit)
rate(http_requests_total[5s])
sum by (method) (rate(http_requests_total[7s]))
increase(http_requests_total[6s])
irate(http_requests_total[5s])
delta(temperature[6s])
idelta(temperature[6s])
deriv(temperature[8s])
predict_linear(temperature[8s], 60)
resets(http_requests_total[12s])
changes(temperature[12s])
holt_winters(temperature[10s], 0.5, 0.1)
avg_over_time(temperature[6s])
min_over_time(temperature[6s])
max_over_time(temperature[6s])
sum_over_time(http_requests_total[6s])
count_over_time(sometimes[9s])
last_over_time(sometimes[9s])
present_over_time(sometimes[9s])
quantile_over_time(0.4, temperature[8s])
stddev_over_time(temperature[8s])
stdvar_over_time(http_requests_total[8s])
absent(nothing{a="b",c=~"d"})
absent(temperature)
absent_over_time(nothing{a="b"}[5s])
histogram_quantile(0.9, latency_seconds_bucket)
histogram_quantile(0.5, sum by (le) (rate(latency_seconds_bucket[8s])))
histogram_quantile(0.99, sum by (le, method) (rate(latency_seconds_bucket[8s])))
label_replace(build_info, "major", "$1", "version", "([0-9]+)\\..*")
label_join(http_requests_total, "both", "-", "method", "route")
clamp(temperature, 18, 22)
clamp_min(temperature, 20)
clamp_max(temperature, 20)
round(temperature, 0.5)
floor(temperature)
ceil(temperature)
abs(temperature - 20)
sgn(temperature - 20)
sqrt(http_requests_total)
exp(temperature / 10)
ln(http_requests_total)
log2(http_requests_total)
log10(http_requests_total)
sin(temperature)
acosh(temperature)
deg(rad(temperature))
timestamp(http_requests_total)
scalar(sum(http_requests_total))
scalar(http_requests_total)
vector(3)
time()
pi()
minute(vector(@T))
day_of_week(vector(@T)) + hour(vector(@T)) * 100 + days_in_month(vector(@T)) * 10000
sort(http_requests_total)
sort_desc(temperature)
max_over_time(rate(http_requests_total[4s])[8s:1s])
sum_over_time(sum(temperature{room="a"})[9s:3s])
avg_over_time(temperature[8s:2s] offset 2s)
rate(http_requests_total[5s] @ @T)
http_requests_total[4s]
sometimes
sum(http_requests_total) / count(http_requests_total) > 1
up
scrape_samples_scraped
"a string"
1 + 2 * 3
Inf - Inf
"""

# What Prometheus 3 calls by another name than Prometheus 2.
RENAMED = {"holt_winters": "double_exponential_smoothing"}


def number(text):
    return float(text)


def same(a, b):
    x, y = number(a), number(b)
    return x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= 1e-9 * max(abs(x), abs(y))


def samples(row):
    return row["values"] if "values" in row else [row["value"]]


def table(result):
    return {tuple(sorted(row["metric"].items())): samples(row) for row in result}


def difference(a, b):
    """Return what differs between two answers, or None."""
    if a["status"] != b["status"]:
        return f"{a.get('error')} / {b.get('error')}"
    if a["status"] == "error":
        return None if a["errorType"] == b["errorType"] else f"{a['errorType']} / {b['errorType']}"
    a, b = a["data"], b["data"]
    if a["resultType"] != b["resultType"]:
        return f"{a['resultType']} / {b['resultType']}"
    if a["resultType"] in ("scalar", "string"):
        x, y = a["result"], b["result"]
        ok = x[0] == y[0] and (x[1] == y[1] or same(x[1], y[1]))
        return None if ok else f"{x} / {y}"
    x, y = table(a["result"]), table(b["result"])
    if x.keys() != y.keys():
        return f"only one has {sorted(x.keys() ^ y.keys())[:2]}"
    for labels in x:
        if [t for t, _ in x[labels]] != [t for t, _ in y[labels]]:
            return f"times of {labels}: {x[labels][:3]} / {y[labels][:3]}"
        for (t, v), (_, w) in zip(x[labels], y[labels]):
            if not same(v, w):
                return f"{labels} at {t}: {v} / {w}"
    return None


def ordered(answer):
    return [row["metric"] for row in answer["data"]["result"]]


def compare(name, other, at):
    queries = [q for q in QUERIES.strip().split("\n") if q]
    wrong = []
    for query in queries:
        text = query.replace("@T", f"{at:.3f}")
        theirs = text
        if other == VARVE:
            for old, new in RENAMED.items():
                theirs = theirs.replace(old, new)
        found = difference(instant(DIRECT, text, at), instant(other, theirs, at, True))
        if not found and text.startswith(("sort", "topk")):
            a, b = ordered(instant(DIRECT, text, at)), ordered(instant(other, text, at))
            found = None if a == b else f"order: {a} / {b}"
        if found:
            wrong.append(f"{text}: {found}")
        parameters = {"query": text, "start": f"{at - 8:.3f}", "end": f"{at:.3f}", "step": "1.5"}
        found = difference(call(DIRECT, "query_range", parameters),
                           call(other, "query_range", {**parameters, "query": theirs}, True))
        if found:
            wrong.append(f"range of {text}: {found}")
    if wrong:
        raise SystemExit(f"{name}: {len(wrong)} differences\n" + "\n".join(wrong))
    print(f"{name}: {len(queries)} queries, at a time and over a range")


def compare_lists(at):
    window = {"start": f"{at - 60:.3f}", "end": f"{at:.3f}"}
    for path, parameters in (("labels", {}), ("labels", {"match[]": "limit"}),
                             ("label/__name__/values", {}), ("label/room/values", {}),
                             ("label/nothing/values", {}),
                             ("label/route/values", {"match[]": ['{method="PUT"}', "limit"]}),
                             ("series", {"match[]": "latency_seconds_bucket"}),
                             ("series", {"match[]": ["up", 'temperature{room=~"[ab]"}']}),
                             ("format_query", {"query": "sum by(a)(rate(x[5m]))>0"})):
        a, b = (call(base, path, {**window, **parameters}) for base in (DIRECT, VARVE))
        if path == "series":
            a, b = (sorted(map(str, map(sorted, map(dict.items, x["data"])))) for x in (a, b))
        if a != b:
            raise SystemExit(f"{path} {parameters}: {str(a)[:300]} / {str(b)[:300]}")
    a, b = (call(base, "metadata", {})["data"] for base in (DIRECT, VARVE))
    for name in a:
        # metadata is sent every minute: only what has arrived is compared
        if name in b and a[name][0]["type"] != b[name][0]["type"]:
            raise SystemExit(f"metadata of {name}: {a[name]} / {b[name]}")
    errors = [("query", {"query": "sum("}), ("query", {"query": "x", "time": "x"}),
              ("query_range", {"query": "x", "start": "2", "end": "1", "step": "1"}),
              ("query_range", {"query": "x", "start": "0", "end": "11001", "step": "1"}),
              ("query", {"query": "http_requests_total + on(route) http_requests_total",
                         "time": f"{at:.3f}"}), ("series", {})]
    for path, parameters in errors:
        a, b = (call(base, path, parameters) for base in (DIRECT, VARVE))
        if a.get("errorType") != b.get("errorType"):
            raise SystemExit(f"{path} {parameters}: {a} / {b}")


def promtool(*arguments):
    done = subprocess.run(("promtool", "query") + arguments, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"promtool {arguments}: {done.stderr or done.stdout}")
    return done.stdout


def check_promtool(at):
    stamp = f"{at:.3f}"
    window = (f"--start={at - 10:.3f}", f"--end={stamp}")
    for arguments in (("instant", f"--time={stamp}", "{}", "sum by (method) (http_requests_total)"),
                      ("range", *window, "--step=2s", "{}", "rate(http_requests_total[5s])")):
        outputs = {promtool(*(a.replace("{}", base) if a == "{}" else a for a in arguments))
                   for base in (DIRECT, VARVE, OWN)}
        if len(outputs) != 1:
            raise SystemExit(f"promtool {arguments}: {outputs}")
    for base in (VARVE, OWN):
        found = promtool("series", "--match=limit", *window, base)
        if found.count("limit") != 2:
            raise SystemExit(f"promtool query series: {found}")
        if promtool("labels", base, "room", *window).split() != ["10", "9", "a", "b", "c"]:
            raise SystemExit("promtool query labels")


def federated():
    rows = instant(READER, '{job="e",__name__="limit"}', time.time())["data"]["result"]
    return {row["metric"]["floor"]: row["value"][1] for row in rows} == {"0": "22", "1": "-Inf"}


def check():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", exporter), Exporter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run("varve", os.environ["VARVE"], "up", "--data", f"{scratch}/data", "--listen",
        f"127.0.0.1:{varve}", "--prometheus-listen", f"127.0.0.1:{own}", "--otlp-grpc",
        f"127.0.0.1:{free_port()}", "--otlp-http", f"127.0.0.1:{free_port()}", "--no-self-profile",
        "--no-self-metrics", "--no-drift")
    wait("varve is ready", lambda: call(VARVE, "labels", {})["status"] == "success")
    open(f"{scratch}/prometheus.yaml", "w").write(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
remote_write: [{{url: '{OWN}/api/v1/write'}}]
scrape_configs: [{{job_name: e, static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]}}]
""")
    open(f"{scratch}/reader.yaml", "w").write(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
remote_read: [{{url: '{VARVE}/api/v1/read', read_recent: true}}]
""")
    for name, port in (("prometheus", prometheus), ("reader", reader)):
        run(name, "prometheus", f"--config.file={scratch}/{name}.yaml",
            f"--storage.tsdb.path={scratch}/{name}", f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=warn")
    wait("20 scrapes", lambda: Exporter.scrapes >= 24)
    last = float(instant(DIRECT, "timestamp(up)", time.time())["data"]["result"][0]["value"][1])
    at = last + 0.4 # between two scrapes: ranges of Prometheus 2 include their beginning
    wait("all samples are written", lambda: instant(VARVE, "timestamp(up)", last)["data"]["result"]
         [0]["value"][1] == f"{last:.3f}".rstrip("0").rstrip("."))
    everything = ('count(last_over_time({job="e"}[10m])) + sum(count_over_time(up[10m]))'
                  ' + sum(count_over_time(http_requests_total[10m]))'
                  ' + sum(count_over_time(latency_seconds_bucket[10m]))')
    wait("both have the same samples", lambda: instant(DIRECT, everything, at)["data"]["result"]
         and difference(instant(DIRECT, everything, at), instant(VARVE, everything, at)) is None)
    compare("varve", VARVE, at)
    compare("remote read", READER, at)
    compare_lists(at)
    check_promtool(at)
    open(f"{scratch}/reader.yaml", "w").write(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: federate
  honor_labels: true
  metrics_path: /federate
  params: {{'match[]': ['limit', 'temperature']}}
  static_configs: [{{targets: ['127.0.0.1:{own}']}}]
""")
    running[-1].send_signal(signal.SIGHUP)
    wait("series are federated", federated)


try:
    check()
finally:
    # varve is the first, and last to end: Prometheus sends what it has
    for process in reversed(running):
        process.send_signal(signal.SIGTERM)
        process.wait(60)
END_PYTHON
python3 "$SCRATCH/check.py" 2>"$SCRATCH/error.log" || {
	for log in varve prometheus reader; do
		tail -n 5 "$SCRATCH/$log.log"
	done
	tail -n 40 "$SCRATCH/error.log"
	exit 1
}
