// SPDX-License-Identifier: Apache-2.0
//! A program that uses libvarve from Rust.

mod varve;

use varve::Attribute;

fn take_order(items: i64, orders: &varve::Counter, sizes: &varve::Histogram) -> Vec<(String, String)> {
    let span = varve::Span::new("take-order");
    let mut total: u64 = 0;
    for i in 0..items as u64 * 100_000 {
        total = total.wrapping_mul(31).wrapping_add(std::hint::black_box(i));
    }
    orders.add(1);
    sizes.record(items as f64);
    span.set_int("items", items).set("total", &total.to_string());
    varve::log(varve::INFO, "order taken", &[Attribute::Str("channel", "web"), Attribute::Int("items", items)]);
    varve::inject()
}

fn main() -> Result<(), String> {
    varve::start()?;
    let orders = varve::Counter::new("shop.orders", "{order}", "Orders taken", &[Attribute::Str("channel", "web")]);
    let sizes = varve::Histogram::new("shop.order.size", "{item}", "Items of an order", &[]);
    let (headers, pprof) = {
        let _request = varve::Span::new("request"); // gets profile.id and profile.type
        varve::profiled(varve::CPU, varve::THIS_THREAD, || take_order(300, &orders, &sizes))
    };
    let parent = headers.iter().find(|h| h.0 == "traceparent").and_then(|h| varve::parse_context(&h.1));
    {
        let span = varve::Span::with_parent("ship", varve::SERVER, parent.as_ref());
        span.error("ShippingError", "no truck");
        varve::log(varve::ERROR, "shipping failed", &[]);
    }
    let text = varve::metrics_text().ok_or("not running")?;
    assert!(text.contains("shop_orders_total{channel=\"web\"} 1\n"), "{text}");
    println!("profile: {}", pprof.map_or("none".to_string(), |p| format!("{} bytes", p.len())));
    if !varve::flush(5000) {
        return Err("not everything was confirmed".to_string());
    }
    varve::stop();
    Ok(())
}
