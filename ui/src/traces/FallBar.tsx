// SPDX-License-Identifier: Apache-2.0
// The bar of a span in the waterfall: its time, the members of a group, events as ticks, and its
// part of the critical path.
import { formatValue } from "../base/units";
import { cleanName } from "../flame/text/names";
import { serviceColour } from "./service_colour";
import { SpanDetails } from "./trace_details";
import { Stretch } from "./trace_times";
import { WaterfallRow } from "./waterfall_rows";

const mostParts = 200; // of a group, or ticks

export function FallBar(props: {
  item: WaterfallRow;
  title: string;
  from: number; // ms; start of the trace
  length: number; // ns; duration of the trace
  details: SpanDetails | undefined;
  critical: ReadonlyMap<string, readonly Stretch[]> | undefined;
}) {
  const { item, from, details } = props;
  const ms = props.length / 1e6 || 1;
  const percent = (at: number) => Math.max(0, Math.min(100, (100 * (at - from)) / ms));
  const members = item.group?.slice(0, mostParts) ?? [item];
  const stretches = (item.group ?? [item]).flatMap((m) => props.critical?.get(m.row.span) ?? []);
  return (
    <span class="fall" title={props.title}>
      {members.map((m, i) => (
        <i
          key={i}
          class={item.missing ? "missing" : undefined}
          style={{
            left: `${100 * Math.min(m.left, 0.995)}%`,
            width: `${100 * m.width}%`,
            background: item.missing ? undefined : serviceColour(item.row.service),
          }}
        />
      ))}
      {stretches.slice(0, mostParts).map((s) => (
        <b
          key={s.from}
          style={{ left: `${percent(s.from)}%`, width: `${percent(s.to) - percent(s.from)}%` }}
        />
      ))}
      {!item.group &&
        details?.events
          .slice(0, mostParts)
          .map((e, i) => (
            <u
              key={i}
              class={e.name === "exception" ? "bad" : undefined}
              style={{ left: `${Math.min(99.5, percent(e.at))}%` }}
              title={cleanName(
                `${e.name} at ${formatValue(Math.round((e.at - details.start) * 1e6), "nanoseconds")}`,
              )}
            />
          ))}
    </span>
  );
}
