#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The notifier of rules sends alerts to an Alertmanager: they arrive with labels, annotations and
# times, are updated and resolved. What the Alertmanager sends to a webhook is compared with what the
# notifier sends to a webhook itself.
set -eu
for tool in prometheus-alertmanager python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
[ -x "${SEND_ALERTS:-}" ] || {
	echo "no SEND_ALERTS"
	exit 77
}
cat >"$SCRATCH/check.py" <<'END_PYTHON'
import http.server
import json
import os
import socket
import subprocess
import threading
import time
import urllib.request

scratch = os.environ["SCRATCH"]
received = {"/am": [], "/varve": []}


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received[self.path].append(json.loads(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


webhook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
threading.Thread(target=webhook.serve_forever, daemon=True).start()
hook = f"http://127.0.0.1:{webhook.server_port}"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


with open(f"{scratch}/alertmanager.yml", "w") as f:
    f.write(f"""
route: {{receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 1s}}
receivers: [{{name: hook, webhook_configs: [{{url: '{hook}/am'}}]}}]
""")
port = free_port()
url = f"http://127.0.0.1:{port}/prefix"
alertmanager = subprocess.Popen(
    ["prometheus-alertmanager", f"--config.file={scratch}/alertmanager.yml", f"--storage.path={scratch}/data",
     f"--web.listen-address=127.0.0.1:{port}", "--web.route-prefix=/prefix", "--cluster.listen-address="],
    stdout=open(f"{scratch}/alertmanager.log", "w"), stderr=subprocess.STDOUT)
sender = subprocess.Popen(
    [os.environ["SEND_ALERTS"], f"{{alertmanagers: ['{url}/'], webhooks: ['{hook}/varve']}}"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(line):
    sender.stdin.write(line + "\n")
    sender.stdin.flush()
    assert sender.stdout.readline() == "ok\n"


def alerts():
    try:
        with urllib.request.urlopen(url + "/api/v2/alerts", timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return []


def wait(what, condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise SystemExit(f"timeout: {what}: {alerts()} {received}")


def states(path, status):
    """The instances in messages to a webhook with this status, of which each is sent once."""
    return sorted(a["labels"]["instance"] for m in received[path] for a in m["alerts"] if a["status"] == status)


def same(message):
    """A webhook's message without what differs by its sender."""
    alerts = [{k: v for k, v in a.items() if k not in ("startsAt", "endsAt")} for a in message["alerts"]]
    return {**message, "receiver": "", "externalURL": "", "alerts": alerts}


try:
    start = int(time.time()) - 60
    send(f"firing {start} Down a")  # the Alertmanager may not listen yet
    send(f"firing {start} Down b")
    wait("alerts arrive", lambda: len(alerts()) == 2)
    a = sorted(alerts(), key=lambda alert: alert["labels"]["instance"])[0]
    assert a["labels"] == {"alertname": "Down", "instance": "a"}, a
    assert a["annotations"] == {"summary": "Something is <wrong>"}, a
    assert a["generatorURL"] == "http://varve/graph?g0.expr=up", a
    assert a["status"]["state"] == "active", a
    assert time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start)) in a["startsAt"], a
    wait("webhooks", lambda: received["/am"] and states("/varve", "firing") == ["a", "b"])
    assert a["fingerprint"] in [alert["fingerprint"] for m in received["/varve"] for alert in m["alerts"]], a
    send(f"resolved {start} Down b")
    wait("b is resolved", lambda: len(alerts()) == 1)
    send(f"resolved {start} Down a")
    wait("a is resolved", lambda: not alerts())
    wait("resolved messages", lambda: received["/am"][-1]["status"] == "resolved" and
         states("/varve", "resolved") == ["a", "b"])
    ours, theirs = same(received["/varve"][-1]), same(received["/am"][-1])
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    assert ours["groupKey"] == theirs["groupKey"], (ours, theirs)
    assert ours["groupLabels"] == theirs["groupLabels"] and ours["version"] == theirs["version"]
    assert ours["alerts"][0] in theirs["alerts"], (ours, theirs)
    assert set(received["/varve"][0]["alerts"][0]) == set(received["/am"][0]["alerts"][0])
    first = received["/am"][0]["alerts"][0]
    assert first["endsAt"] == received["/varve"][0]["alerts"][0]["endsAt"], first
    sender.stdin.close()
    metrics = sender.stdout.read()
    assert sender.wait(timeout=20) == 0
    assert f'prometheus_notifications_sent_total{{alertmanager="{url}"}} 4' in metrics, metrics
    assert f'prometheus_notifications_dropped_total{{alertmanager="{url}"}} 0' in metrics, metrics

    # The same from the rules of a server.
    def rules(expression):
        with open(f"{scratch}/new.yml", "w") as f:
            json.dump({"groups": [{"name": "g", "interval": "1s", "rules": [
                {"alert": "FromServer", "expr": expression, "annotations": {"summary": "it is {{ $value }}"}}]}]}, f)
        os.rename(f"{scratch}/new.yml", f"{scratch}/rules.yml")

    rules("vector(7)")
    server = subprocess.Popen(
        [os.environ["VARVE"], "up", "--data", f"{scratch}/varve", "--rules", f"{scratch}/rules.yml", "--alertmanager", url,
         "--listen", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--no-self-profile"],
        stdout=open(f"{scratch}/varve.log", "w"), stderr=subprocess.STDOUT)
    try:
        wait("the alert of a rule arrives", lambda: len(alerts()) == 1)
        assert alerts()[0]["annotations"] == {"summary": "it is 7"}, alerts()
        assert alerts()[0]["labels"] == {"alertname": "FromServer"}, alerts()
        rules("vector(7) > 8")
        wait("it is resolved", lambda: not alerts())
    finally:
        server.terminate()
        server.wait()
finally:
    sender.kill()
    alertmanager.terminate()
    alertmanager.wait()
print("alerts arrive, are resolved, and webhooks get the messages of an Alertmanager")
END_PYTHON
python3 "$SCRATCH/check.py"
