#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that uses libvarve from Python."""

import varve

varve.start()

orders = varve.Counter("shop.orders", "{order}", "Orders taken")
sizes = varve.Histogram("shop.order.size", "{item}", "Items of an order")


def take_order(items):
    with varve.Span("take-order", items=items) as span:
        total = sum(i * i for i in range(items * 1000))
        orders.add(1, channel="web")
        sizes.record(items)
        span.set("total", float(total))
        varve.log(varve.INFO, f"order of {items} items", channel="web")
        return varve.inject()


with varve.Span("request"), varve.Profile(varve.CPU) as profile:
    headers = take_order(300)
with varve.extracted({**headers, "Baggage": "tenant=blue"}) as parent:
    with varve.Span("ship", varve.SERVER, parent):
        forwarded = varve.inject()
try:
    with varve.Span("refund"):
        raise ValueError("no such order")
except ValueError:
    varve.log(varve.ERROR, "refund failed")

text = varve.metrics_text()
assert 'shop_orders_total{channel="web"} 1\n' in text, text
assert headers["traceparent"][3:35] == forwarded["traceparent"][3:35], "one trace"
assert forwarded["baggage"] == "tenant=blue"
print("profile:", "none" if profile.pprof is None else f"{len(profile.pprof)} bytes")
varve.flush()
varve.stop()
