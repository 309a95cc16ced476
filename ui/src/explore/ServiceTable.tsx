// SPDX-License-Identifier: Apache-2.0
// The table of services: each number with its change against the range before, a chart of the cost,
// and the function to blame.
import { useMemo } from "preact/hooks";
import { SeriesAnswer, SeriesRow } from "../api/types";
import { Ends, endsOf, Link } from "../base/components";
import { typeName } from "../base/profile_types";
import { formatShare, formatValue, grouped } from "../base/units";
import { percentText } from "../compare/changes";
import { fresh, go, parseUrl } from "../url";
import { Column, columns, DriftEvent, Figure, isNoise, ServiceNumbers } from "./service_numbers";

export const sparkWidth = 220;
const sparkHeight = 34;

// Return the query of a service. A name that cannot stand alone is written as a quoted label value.
export const serviceQuery = (name: string) =>
  /^[\w./:-]+$/.test(name) ? name : `{service_name=${JSON.stringify(name)}}`;

export function Sparkline(props: { row: SeriesRow; from: number; to: number; step: number }) {
  const { row, from, to, step } = props;
  const path = useMemo(() => {
    const greatest = Math.max(...row.points.map((p) => p[1]), 0) || 1;
    const x = (t: number) => (((t - from) / (to - from)) * sparkWidth).toFixed(1);
    const y = (v: number) =>
      (sparkHeight - 2 - (Math.max(0, v) / greatest) * (sparkHeight - 4)).toFixed(1);
    const points = row.points;
    // Draw each bucket over its own time; where there is no data, the line drops to zero.
    let line = "";
    points.forEach(([end, value], i) => {
      const begins = i === 0 || points[i - 1][0] !== end - step;
      const ends = i === points.length - 1 || points[i + 1][0] !== end + step;
      if (begins) line += `M${x(end - step)} ${y(0)}`;
      line += `L${x(end - step)} ${y(value)}L${x(end)} ${y(value)}`;
      if (ends) line += `L${x(end)} ${y(0)}`;
    });
    return line;
  }, [row, from, to, step]);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

// The units of the columns that depend on what was measured.
export interface Units {
  type: string; // profile type of the cost
  cost: string;
  gauge: boolean;
  memory: string;
}

const isTime = (units: Units) => units.cost === "nanoseconds" && !units.gauge;

// Three significant digits: "1,234", "12.3", "0.00425".
const formatNumber = (n: number) =>
  Math.abs(n) >= 99.95 ? grouped(n) : String(Number(n.toPrecision(3)));

function figureText(column: Column, value: number, units: Units): string {
  switch (column) {
    case "requests":
      return formatNumber(value);
    case "errors":
      return formatShare(value, 1, value > 0 && value < 0.001 ? 2 : 1);
    case "p50":
    case "p99":
      return formatValue(value * 1e9, "nanoseconds");
    case "cost":
      if (isTime(units)) return formatNumber(value / 1e9);
      return formatValue(value, units.cost) + (units.gauge ? "" : "/s");
    case "per_request":
      return formatValue(value, units.cost);
    case "memory":
      return formatValue(value, units.memory);
  }
}

// `known`: whether the range before has this number of any service.
function changeText(column: Column, { now, before }: Figure, known: boolean): string {
  if (now === undefined) return "";
  if (before === undefined) return known ? "new" : "";
  const delta = now - before;
  if (column === "errors")
    return delta ? `${delta > 0 ? "+" : ""}${(100 * delta).toFixed(1)} pp` : "0 pp";
  if (!before) return now ? "new" : "0%";
  return now / before >= 10 ? `× ${formatNumber(now / before)}` : percentText(delta / before);
}

const titles: Record<Column, (units: Units) => readonly [title: string, help: string]> = {
  requests: () => ["Requests/s", "Spans of kind server and consumer, per second"],
  errors: () => ["Errors", "Share of the requests with an error; its change in percentage points"],
  p50: () => ["p50", "Median duration of requests"],
  p99: () => ["p99", "Duration that 1 % of the requests exceed"],
  cost: (units) =>
    isTime(units)
      ? [typeName(units.type).replace("CPU time", "CPU") + ", cores", "Average over the range"]
      : [typeName(units.type), "Average over the range"],
  per_request: (units) => [
    isTime(units) ? "CPU/request" : "Per request",
    `${typeName(units.type)} divided by the number of requests`,
  ],
  memory: () => ["Heap", "Heap in use; the error of its change is not known"],
};

function FigureCell(props: {
  column: Column;
  figure: Figure;
  units: Units;
  least: number;
  known: boolean;
  title?: string;
}) {
  const { column, figure, units, least } = props;
  const { now, before } = figure;
  const noise = isNoise(figure, least);
  const change = changeText(column, figure, props.known);
  const worse = now !== undefined && before !== undefined && now > before;
  const kind = noise || change === "new" || now === before ? "soft" : worse ? "worse" : "better";
  const neutral = column === "requests" || figure.errors === undefined;
  const was = before === undefined ? "no data before" : figureText(column, before, units);
  return (
    <td
      class={`number ${column} ${column === "cost" ? "service-total" : ""}`}
      title={
        now === undefined
          ? undefined
          : [
              props.title,
              `Range before: ${was}`,
              noise && "the change is within the sampling error",
            ]
              .filter(Boolean)
              .join("; ")
      }
    >
      {now !== undefined && (
        <>
          {figureText(column, now, units)}
          <span class={`service-change ${kind !== "soft" && neutral ? "" : kind}`}>{change}</span>
        </>
      )}
    </td>
  );
}

function DriftCell(props: { drift: { event: DriftEvent; count: number } | undefined }) {
  if (!props.drift) return <td class="blame" />;
  const { event, count } = props.drift;
  const { name, ratio } = event.functions[0];
  const to = parseUrl(new URL(event.page, "http://localhost/"));
  return (
    <td class="blame">
      <Link
        to={to}
        class={`blame-link ${event.kind === "improvement" ? "better" : "worse"}`}
        title={`${event.text}${count > 1 ? `; ${count - 1} more events` : ""}. Opens the comparison`}
      >
        <span class="blame-name">
          <Ends parts={endsOf(name)} />
        </span>
        <span class="service-change">{ratio ? `× ${ratio.toFixed(2)}` : "new"}</span>
      </Link>
    </td>
  );
}

function ServiceRow(props: {
  service: ServiceNumbers;
  row: SeriesRow | undefined;
  answer: SeriesAnswer | undefined;
  units: Units;
  least: number;
  known: ReadonlySet<Column>;
  drifts: boolean;
}) {
  const { service, row, answer, units } = props;
  const { name, types } = service;
  const type = types.includes(units.type) ? units.type : (types[0] ?? "");
  const open = { ...fresh, path: "/profiles" as const, query: serviceQuery(name), type };
  return (
    <tr
      class="service"
      onClick={(event) => {
        // The whole row is as the link of its name; a selected text is not a click.
        if ((event.target as Element).closest("a") || getSelection()?.type === "Range") return;
        go(open);
      }}
    >
      <th scope="row">
        <Link class="service-link" to={open} title={name}>
          <span class="service-name">
            <Ends parts={endsOf(name)} />
          </span>
        </Link>
      </th>
      {columns.map((column) => (
        <FigureCell
          key={column}
          column={column}
          figure={service.figures[column]}
          units={units}
          least={props.least}
          known={props.known.has(column)}
          title={column === "cost" ? formatValue(service.total, units.cost) : undefined}
        />
      ))}
      <td class="spark-cell">
        {row && answer ? (
          <Sparkline row={row} from={answer.from} to={answer.to} step={answer.step} />
        ) : (
          <span class="spark soft">{answer ? `no ${typeName(units.type)}` : ""}</span>
        )}
      </td>
      {props.drifts && <DriftCell drift={service.drift} />}
    </tr>
  );
}

// A placeholder as high as a row. The order depends on the numbers; rows are shown when they are
// known, so that they do not move.
const PendingRow = () => (
  <tr class="service pending" aria-hidden="true">
    <th scope="row">
      <span class="service-name">&nbsp;</span>
    </th>
    <td colSpan={columns.length + 1} />
  </tr>
);

function Head(props: { column: string; title: string; help: string; sort: string; down: boolean }) {
  const { column, sort } = props;
  const by = sort.replace(/^-/, "") === column;
  const down = sort.startsWith("-");
  const first = props.down ? `-${column}` : column;
  const second = props.down ? column : `-${column}`;
  return (
    <th
      scope="col"
      class={column === "name" ? "" : `number ${column}`}
      title={props.help}
      aria-sort={!by ? undefined : down ? "descending" : "ascending"}
    >
      <button
        type="button"
        class="quiet head"
        onClick={() => go({ services: sort === first ? second : first })}
      >
        {props.title}
        {by && <span aria-hidden="true">{down ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

// `pending`: number of placeholders instead of rows.
export function ServiceTable(props: {
  services: readonly ServiceNumbers[];
  pending: number;
  charts: ReadonlyMap<string, SeriesRow>;
  answer: SeriesAnswer | undefined;
  units: Units;
  least: number;
  sort: string;
}) {
  const { services, units, answer, sort } = props;
  const drifts = services.some((s) => s.drift);
  const known = new Set(
    columns.filter((c) => services.some((s) => s.figures[c].before !== undefined)),
  );
  return (
    <div class="panel services-panel">
      <table class="services" aria-label="Services" aria-busy={props.pending > 0}>
        <thead>
          <tr>
            <Head column="name" title="Service" help="" sort={sort} down={false} />
            {columns.map((column) => {
              const [title, help] = titles[column](units);
              return <Head key={column} {...{ column, title, help, sort }} down />;
            })}
            <th scope="col" class="spark-cell">
              Over time
            </th>
            {drifts && (
              <th scope="col" class="blame" title="The function whose cost changed (drift)">
                Changed function
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: props.pending }, (_, i) => (
            <PendingRow key={`pending ${i}`} />
          ))}
          {services.map((service) => (
            <ServiceRow
              key={service.name}
              service={service}
              row={props.charts.get(service.name)}
              answer={answer}
              units={units}
              least={props.least}
              known={known}
              drifts={drifts}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

// The orders that the page offers besides the heads of columns.
export const sortOptions = (units: Units): (readonly [string, string])[] => [
  ["", "Worst change"],
  ["name", "Name"],
  ...columns.map((c) => [`-${c}`, titles[c](units)[0]] as const),
];
