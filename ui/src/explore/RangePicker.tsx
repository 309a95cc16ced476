// SPDX-License-Identifier: Apache-2.0
// The time range: buttons to shift it, presets, an absolute range, live mode and refresh.
import { useState } from "preact/hooks";
import { Popover } from "../base/components";
import { formatRange, isRelative, Range, ranges, timeOf } from "../base/time";

// Format a time for <input type=datetime-local>: local time in seconds.
const localText = (ms: number) => {
  const d = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return Number.isNaN(ms) ? "" : d.toISOString().slice(0, 19);
};

function Absolute(props: { range: Range; onChange: (range: Range) => void }) {
  const [from, setFrom] = useState(localText(timeOf(props.range.from)));
  const [to, setTo] = useState(localText(timeOf(props.range.to)));
  const a = new Date(from).getTime();
  const z = new Date(to).getTime();
  const wrong = !(a < z);
  return (
    <form
      class="absolute"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) props.onChange({ from: String(a), to: String(z) });
      }}
    >
      <label>
        From{" "}
        <input
          type="datetime-local"
          step="1"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
      </label>
      <label>
        To{" "}
        <input
          type="datetime-local"
          step="1"
          value={to}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={wrong}>
        Apply
      </button>
    </form>
  );
}

export function RangePicker(props: {
  range: Range;
  onChange: (range: Range) => void;
  live?: boolean;
  onLive?: (live: boolean) => void;
  onRefresh?: () => void;
  open?: boolean;
  onOpen?: (open: boolean) => void;
}) {
  const { range } = props;
  const shift = (direction: number) => {
    const from = timeOf(range.from);
    const to = timeOf(range.to);
    const by = (direction * (to - from)) / 2;
    props.onChange({ from: String(Math.round(from + by)), to: String(Math.round(to + by)) });
  };
  return (
    <div class="row range-picker">
      <div class="group">
        <button type="button" title="Earlier ([)" aria-label="Earlier" onClick={() => shift(-1)}>
          ‹
        </button>
        <button type="button" title="Later (])" aria-label="Later" onClick={() => shift(1)}>
          ›
        </button>
      </div>
      <Popover
        label={<span class="range-text">{formatRange(range)} ▾</span>}
        title="Time range (r)"
        align="right"
        open={props.open}
        onOpen={props.onOpen}
      >
        {(close) => (
          <div class="range-menu">
            <div class="presets">
              {ranges.map((r) => (
                <button
                  type="button"
                  class="quiet"
                  key={r.key}
                  aria-pressed={r.from === range.from && r.to === range.to}
                  onClick={() => {
                    props.onChange({ from: r.from, to: r.to });
                    close();
                  }}
                >
                  {r.label}
                </button>
              ))}
            </div>
            <Absolute
              range={range}
              onChange={(r) => {
                props.onChange(r);
                close();
              }}
            />
          </div>
        )}
      </Popover>
      {props.onLive && (
        <button
          type="button"
          aria-pressed={props.live}
          disabled={!isRelative(range.to)}
          title="Live: refresh every 10 s (l)"
          onClick={() => props.onLive!(!props.live)}
        >
          <span class={props.live ? "live-dot on" : "live-dot"} aria-hidden="true" /> Live
        </button>
      )}
      {props.onRefresh && (
        <button
          type="button"
          class="icon"
          title="Refresh (g)"
          aria-label="Refresh"
          onClick={props.onRefresh}
        >
          ⟳
        </button>
      )}
    </div>
  );
}
