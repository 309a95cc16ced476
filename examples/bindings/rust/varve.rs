// SPDX-License-Identifier: Apache-2.0
//! libvarve by `extern "C"`: spans, metrics, logs, propagation and profiles of operations.
//!
//! Every call works before start() and after stop(), when it does nothing, as in C.
#![allow(dead_code)]

use std::ffi::{c_char, c_double, c_int, c_uint, c_void, CStr, CString};
use std::ptr;

#[repr(C)]
union Value {
    string: *const c_char,
    integer: i64,
    real: c_double,
    boolean: c_int,
}

#[repr(C)]
struct RawAttribute {
    key: *const c_char,
    kind: c_int,
    value: Value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Context {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub flags: u8,
    trace_state: [c_char; 513],
}

extern "C" {
    fn varve_start(options: *const c_void) -> c_int;
    fn varve_stop();
    fn varve_flush(timeout_ms: c_uint) -> c_int;
    fn varve_last_error() -> *const c_char;
    fn varve_free(p: *mut c_void);
    fn varve_metrics_text() -> *mut c_char;
    fn varve_span_start(name: *const c_char, traceparent: *const c_char) -> *mut c_void;
    fn varve_span_start_with(name: *const c_char, kind: c_int, parent: *const Context) -> *mut c_void;
    fn varve_span_end(span: *mut c_void);
    fn varve_span_set_str(span: *mut c_void, key: *const c_char, value: *const c_char);
    fn varve_span_set_int(span: *mut c_void, key: *const c_char, value: i64);
    fn varve_span_set_error(span: *mut c_void, message: *const c_char);
    fn varve_span_record_exception(
        span: *mut c_void,
        kind: *const c_char,
        message: *const c_char,
        stacktrace: *const c_char,
        attributes: *const RawAttribute,
        count: usize,
    );
    fn varve_counter(name: *const c_char, unit: *const c_char, description: *const c_char) -> *mut c_void;
    fn varve_histogram(name: *const c_char, unit: *const c_char, description: *const c_char) -> *mut c_void;
    fn varve_bind(instrument: *mut c_void, attributes: *const RawAttribute, count: usize) -> *mut c_void;
    fn varve_add(series: *mut c_void, value: i64);
    fn varve_record(series: *mut c_void, value: c_double);
    fn varve_log_with(severity: c_int, message: *const c_char, attributes: *const RawAttribute, count: usize) -> c_int;
    fn varve_inject(set: extern "C" fn(*mut c_void, *const c_char, *const c_char), arg: *mut c_void) -> c_int;
    fn varve_context_parse(out: *mut Context, traceparent: *const c_char, tracestate: *const c_char) -> c_int;
    fn varve_profile_start(kind: c_int, scope: c_int, path: *const c_char) -> *mut c_void;
    fn varve_profile_stop(operation: *mut c_void, pprof: *mut *mut c_void, size: *mut usize) -> c_int;
}

pub const CPU: i32 = 1;
pub const THIS_THREAD: i32 = 1;
pub const PROCESS: i32 = 2;
pub const INFO: i32 = 9;
pub const ERROR: i32 = 17;
pub const SERVER: i32 = 2;

/// Text up to the first NUL, as C sees it.
fn text(s: &str) -> CString {
    CString::new(s.split('\0').next().unwrap_or("")).unwrap_or_default()
}

pub enum Attribute<'a> {
    Str(&'a str, &'a str),
    Int(&'a str, i64),
    Double(&'a str, f64),
    Bool(&'a str, bool),
}

/// Call `f` with the attributes as C has them.
fn with_attributes<R>(rows: &[Attribute], f: impl FnOnce(*const RawAttribute, usize) -> R) -> R {
    let mut kept: Vec<CString> = Vec::new();
    let raw: Vec<RawAttribute> = rows
        .iter()
        .map(|row| {
            let (name, kind, value) = match row {
                Attribute::Str(k, v) => {
                    kept.push(text(v));
                    (k, 0, Value { string: kept.last().map_or(ptr::null(), |s| s.as_ptr()) })
                }
                Attribute::Int(k, v) => (k, 1, Value { integer: *v }),
                Attribute::Double(k, v) => (k, 2, Value { real: *v }),
                Attribute::Bool(k, v) => (k, 3, Value { boolean: *v as c_int }),
            };
            kept.push(text(name));
            RawAttribute { key: kept.last().map_or(ptr::null(), |s| s.as_ptr()), kind, value }
        })
        .collect();
    f(raw.as_ptr(), raw.len())
}

fn last_error() -> String {
    unsafe { CStr::from_ptr(varve_last_error()) }.to_string_lossy().into_owned()
}

/// Start with the options of the environment (VARVE_*, OTEL_*).
pub fn start() -> Result<(), String> {
    match unsafe { varve_start(ptr::null()) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

pub fn stop() {
    unsafe { varve_stop() }
}

pub fn flush(timeout_ms: u32) -> bool {
    unsafe { varve_flush(timeout_ms) == 0 }
}

/// All metrics as Prometheus text; None when the library does not run.
pub fn metrics_text() -> Option<String> {
    unsafe {
        let p = varve_metrics_text();
        if p.is_null() {
            return None;
        }
        let s = CStr::from_ptr(p).to_string_lossy().into_owned();
        varve_free(p.cast());
        Some(s)
    }
}

/// A span that ends when it is dropped. A span stays on the thread that it was started on.
pub struct Span(*mut c_void);

impl Span {
    pub fn new(name: &str) -> Span {
        Span(unsafe { varve_span_start(text(name).as_ptr(), ptr::null()) })
    }
    pub fn with_parent(name: &str, kind: i32, parent: Option<&Context>) -> Span {
        let parent = parent.map_or(ptr::null(), |c| c as *const Context);
        Span(unsafe { varve_span_start_with(text(name).as_ptr(), kind, parent) })
    }
    pub fn set(&self, key: &str, value: &str) -> &Span {
        unsafe { varve_span_set_str(self.0, text(key).as_ptr(), text(value).as_ptr()) };
        self
    }
    pub fn set_int(&self, key: &str, value: i64) -> &Span {
        unsafe { varve_span_set_int(self.0, text(key).as_ptr(), value) };
        self
    }
    /// Record an error as an event, and set the status.
    pub fn error(&self, kind: &str, message: &str) {
        unsafe {
            varve_span_record_exception(
                self.0,
                text(kind).as_ptr(),
                text(message).as_ptr(),
                ptr::null(),
                ptr::null(),
                0,
            );
            varve_span_set_error(self.0, text(message).as_ptr());
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        unsafe { varve_span_end(self.0) }
    }
}

/// A bound series of a counter. Adding takes a few nanoseconds, on any thread.
#[derive(Clone, Copy)]
pub struct Counter(*mut c_void);
unsafe impl Send for Counter {}
unsafe impl Sync for Counter {}

impl Counter {
    pub fn new(name: &str, unit: &str, description: &str, attributes: &[Attribute]) -> Counter {
        unsafe {
            let i = varve_counter(text(name).as_ptr(), text(unit).as_ptr(), text(description).as_ptr());
            Counter(with_attributes(attributes, |rows, n| varve_bind(i, rows, n)))
        }
    }
    pub fn add(&self, value: i64) {
        unsafe { varve_add(self.0, value) }
    }
}

#[derive(Clone, Copy)]
pub struct Histogram(*mut c_void);
unsafe impl Send for Histogram {}
unsafe impl Sync for Histogram {}

impl Histogram {
    pub fn new(name: &str, unit: &str, description: &str, attributes: &[Attribute]) -> Histogram {
        unsafe {
            let i = varve_histogram(text(name).as_ptr(), text(unit).as_ptr(), text(description).as_ptr());
            Histogram(with_attributes(attributes, |rows, n| varve_bind(i, rows, n)))
        }
    }
    pub fn record(&self, value: f64) {
        unsafe { varve_record(self.0, value) }
    }
}

/// Log with the ids of the current span.
pub fn log(severity: i32, message: &str, attributes: &[Attribute]) -> bool {
    let message = text(message);
    with_attributes(attributes, |rows, n| unsafe { varve_log_with(severity, message.as_ptr(), rows, n) == 0 })
}

extern "C" fn push_header(headers: *mut c_void, name: *const c_char, value: *const c_char) {
    let headers = unsafe { &mut *headers.cast::<Vec<(String, String)>>() };
    let read = |p| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned();
    headers.push((read(name), read(value)));
}

/// The headers that pass the current span and baggage on.
pub fn inject() -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    unsafe { varve_inject(push_header, (&mut headers as *mut Vec<(String, String)>).cast()) };
    headers
}

/// The context of a traceparent.
pub fn parse_context(traceparent: &str) -> Option<Context> {
    let mut c = Context { trace_id: [0; 16], span_id: [0; 8], flags: 0, trace_state: [0; 513] };
    match unsafe { varve_context_parse(&mut c, text(traceparent).as_ptr(), ptr::null()) } {
        0 => Some(c),
        _ => None,
    }
}

/// Profile a closure; the pprof is None if a guard has refused it.
pub fn profiled<R>(kind: i32, scope: i32, f: impl FnOnce() -> R) -> (R, Option<Vec<u8>>) {
    let operation = unsafe { varve_profile_start(kind, scope, ptr::null()) };
    let result = f();
    let (mut p, mut n) = (ptr::null_mut(), 0usize);
    if unsafe { varve_profile_stop(operation, &mut p, &mut n) } != 0 {
        return (result, None);
    }
    let bytes = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), n) }.to_vec();
    unsafe { varve_free(p) };
    (result, Some(bytes))
}
