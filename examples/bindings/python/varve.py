# SPDX-License-Identifier: Apache-2.0
"""libvarve by ctypes: spans, metrics, logs, propagation and profiles of operations.

The library is found by the variable LIBVARVE, or as libvarve.so. Every call works before start()
and after stop(), when it does nothing, as in C.
"""

import contextlib
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8, c_void_p

lib = ctypes.CDLL(os.environ.get("LIBVARVE", "libvarve.so"))

CPU, HEAP, MUTEX, BLOCK, WALL, THREADS, THREADCREATE, MMAP = (1 << i for i in range(8))
TRACE, DEBUG, INFO, WARN, ERROR, FATAL = 1, 5, 9, 13, 17, 21
INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = range(1, 6)
THIS_THREAD, PROCESS = 1, 2


class _Value(ctypes.Union):
    _fields_ = [("string", c_char_p), ("integer", c_int64), ("real", c_double), ("boolean", c_int)]


class _Attribute(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("type", c_int), ("value", _Value)]


class Context(ctypes.Structure):
    """A reference to a span, for another thread, task or process."""

    _fields_ = [
        ("trace_id", c_uint8 * 16),
        ("span_id", c_uint8 * 8),
        ("flags", c_uint8),
        ("trace_state", ctypes.c_char * 513),
    ]


_SET = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
_GET = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_char_p)


def _declare(name, result, *arguments):
    function = getattr(lib, "varve_" + name)
    function.restype, function.argtypes = result, arguments
    return function


_start_file = _declare("start_file", c_int, c_char_p)
_start = _declare("start", c_int, c_void_p)
_stop = _declare("stop", None)
_flush = _declare("flush", c_int, c_uint)
_last_error = _declare("last_error", c_char_p)
_free = _declare("free", None, c_void_p)
_metrics_text = _declare("metrics_text", c_void_p)
_span_start_with = _declare("span_start_with", c_void_p, c_char_p, c_int, POINTER(Context))
_span_start = _declare("span_start", c_void_p, c_char_p, c_char_p)
_span_end = _declare("span_end", None, c_void_p)
_set_str = _declare("span_set_str", None, c_void_p, c_char_p, c_char_p)
_set_int = _declare("span_set_int", None, c_void_p, c_char_p, c_int64)
_set_double = _declare("span_set_double", None, c_void_p, c_char_p, c_double)
_set_bool = _declare("span_set_bool", None, c_void_p, c_char_p, c_int)
_set_error = _declare("span_set_error", None, c_void_p, c_char_p)
_exception = _declare("span_record_exception", None, c_void_p, c_char_p, c_char_p, c_char_p,
                      POINTER(_Attribute), c_size_t)
_counter = _declare("counter", c_void_p, c_char_p, c_char_p, c_char_p)
_gauge = _declare("gauge", c_void_p, c_char_p, c_char_p, c_char_p)
_histogram = _declare("histogram", c_void_p, c_char_p, c_char_p, c_char_p)
_bind = _declare("bind", c_void_p, c_void_p, POINTER(_Attribute), c_size_t)
_add = _declare("add", None, c_void_p, c_int64)
_gauge_set = _declare("set", None, c_void_p, c_double)
_record = _declare("record", None, c_void_p, c_double)
_log_with = _declare("log_with", c_int, c_int, c_char_p, POINTER(_Attribute), c_size_t)
_inject = _declare("inject", c_int, _SET, c_void_p)
_extract = _declare("extract", c_int, POINTER(Context), POINTER(c_void_p), _GET, c_void_p)
_baggage_attach = _declare("baggage_attach", None, c_void_p, POINTER(c_void_p))
_baggage_detach = _declare("baggage_detach", None, c_void_p)
_baggage_release = _declare("baggage_release", None, c_void_p)
_label = _declare("label", c_int, c_char_p, c_char_p)
_profile_start = _declare("profile_start", c_void_p, c_int, c_int, c_char_p)
_profile_stop = _declare("profile_stop", c_int, c_void_p, POINTER(c_void_p), POINTER(c_size_t))


def _text(value):
    return None if value is None else str(value).encode()


def _attributes(values):
    rows = (_Attribute * len(values))()
    for row, (key, value) in zip(rows, values.items()):
        row.key = _text(key)
        if isinstance(value, bool):
            row.type, row.value.boolean = 3, value
        elif isinstance(value, int):
            row.type, row.value.integer = 1, value
        elif isinstance(value, float):
            row.type, row.value.real = 2, value
        else:
            row.type, row.value.string = 0, _text(value)
    return rows, len(values)


class Error(Exception):
    """A function of the library failed; the text is varve_last_error()."""


def _check(rc):
    if rc:
        raise Error(f"{rc}: {_last_error().decode()}")


def start(path=None):
    """Start with the environment (VARVE_*, OTEL_*) and, unless None, a file of options."""
    _check(_start_file(_text(path)) if path else _start(None))


def stop():
    _stop()


def flush(timeout_ms=5000):
    _check(_flush(timeout_ms))


def label(key, value):
    """Label the samples of this thread from now on; None removes the label."""
    _label(_text(key), _text(value))


def metrics_text():
    """Return all metrics as Prometheus text, or None when the library does not run."""
    text = _metrics_text()
    if not text:
        return None
    try:
        return ctypes.string_at(text).decode()
    finally:
        _free(text)


class Span:
    """A span that ends with its block; an exception that leaves the block is recorded."""

    def __init__(self, name, kind=INTERNAL, parent=None, **attributes):
        if parent is None and kind == INTERNAL:
            self._span = _span_start(_text(name), None)
        else:
            self._span = _span_start_with(_text(name), kind, parent)
        for key, value in attributes.items():
            self.set(key, value)

    def set(self, key, value):
        if isinstance(value, bool):
            _set_bool(self._span, _text(key), value)
        elif isinstance(value, int):
            _set_int(self._span, _text(key), value)
        elif isinstance(value, float):
            _set_double(self._span, _text(key), value)
        else:
            _set_str(self._span, _text(key), _text(value))
        return self

    def record_exception(self, error, **attributes):
        import traceback

        stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        _exception(self._span, _text(type(error).__name__), _text(error), _text(stack),
                   *_attributes(attributes))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.record_exception(error)
            _set_error(self._span, _text(error))
        _span_end(self._span)


class _Instrument:
    """An instrument; series are bound at their first use."""

    def __init__(self, make, name, unit="", description=""):
        self._instrument = make(_text(name), _text(unit), _text(description))
        if not self._instrument:
            raise Error(_last_error().decode())
        self._series = {}

    def _series_of(self, attributes):
        key = tuple(sorted(attributes.items()))
        if key not in self._series:
            self._series[key] = _bind(self._instrument, *_attributes(attributes))
        return self._series[key]


class Counter(_Instrument):
    def __init__(self, *arguments):
        super().__init__(_counter, *arguments)

    def add(self, value=1, **attributes):
        _add(self._series_of(attributes), value)


class Gauge(_Instrument):
    def __init__(self, *arguments):
        super().__init__(_gauge, *arguments)

    def set(self, value, **attributes):
        _gauge_set(self._series_of(attributes), value)


class Histogram(_Instrument):
    def __init__(self, *arguments):
        super().__init__(_histogram, *arguments)

    def record(self, value, **attributes):
        _record(self._series_of(attributes), value)


def log(severity, message, **attributes):
    """Log with the ids of the current span. False: the library does not run, or the buffer is full."""
    return _log_with(severity, _text(message), *_attributes(attributes)) == 0


def inject():
    """Return the headers that pass the current span and baggage on."""
    headers = {}
    _inject(_SET(lambda _, name, value: headers.__setitem__(name.decode(), value.decode())), None)
    return headers


@contextlib.contextmanager
def extracted(headers):
    """Read the context of headers, whose baggage is current in the block. Yield it, or None."""
    kept = {name.lower(): ctypes.create_string_buffer(_text(value))
            for name, value in headers.items()}

    def get(_, name):
        found = kept.get(name.decode().lower())
        return ctypes.addressof(found) if found else None

    context, baggage, before = Context(), c_void_p(), c_void_p()
    rc = _extract(ctypes.byref(context), ctypes.byref(baggage), _GET(get), None)
    _baggage_attach(baggage, ctypes.byref(before))
    try:
        yield None if rc else context
    finally:
        _baggage_detach(before)
        _baggage_release(baggage)


class Profile:
    """Profile a block: `pprof` has the bytes afterwards, unless a guard has refused it."""

    def __init__(self, kind=CPU, scope=THIS_THREAD, path=None):
        self._arguments, self.pprof = (kind, scope, _text(path)), None

    def __enter__(self):
        self._operation = _profile_start(*self._arguments)
        return self

    def __exit__(self, *error):
        data, size = c_void_p(), c_size_t()
        if not _profile_stop(self._operation, ctypes.byref(data), ctypes.byref(size)):
            self.pprof = ctypes.string_at(data, size.value)
            _free(data)
