// SPDX-License-Identifier: Apache-2.0
// The time range: buttons to shift it, presets, an absolute range, live mode and refresh.
import { useState } from "preact/hooks";
import { Popover } from "../base/components";
import { formatRange, formatTime, isRelative, localTime, Range, ranges, timeOf, timeZone } from "../base/time";

const localText = (ms: number) =>
  Number.isNaN(ms) ? "" : formatTime(Math.floor(ms / 1000) * 1000);

function Absolute(props: { range: Range; onChange: (range: Range) => void }) {
  const [from, setFrom] = useState(localText(timeOf(props.range.from)));
  const [to, setTo] = useState(localText(timeOf(props.range.to)));
  const a = localTime(from);
  const z = localTime(to);
  const wrong = !(a < z);
  const field = (name: string, value: string, time: number, set: (text: string) => void) => (
    <label>
      {name}{" "}
      <input
        type="text"
        class={`mono ${Number.isNaN(time) ? "wrong" : ""}`}
        inputMode="numeric"
        placeholder="YYYY-MM-DD hh:mm:ss"
        aria-invalid={Number.isNaN(time)}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <form
      class="absolute"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) props.onChange({ from: String(a), to: String(z) });
      }}
    >
      {field("From", from, a, setFrom)}
      {field("To", to, z, setTo)}
      <span class="soft">Times are in {timeZone()}.</span>
      {a >= z && <span class="wrong-text">The end is before the start.</span>}
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
