// SPDX-License-Identifier: Apache-2.0
// The start page: all services, each with its cost and a chart of the cost over time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { SeriesAnswer, SeriesRow, ServicesAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Link, Select, TextInput } from "../base/components";
import { timeOf } from "../base/time";
import { sortTypes, typeName } from "../base/profile_types";
import { formatCount, formatShare, formatValue } from "../base/units";
import { fresh, go, State } from "../url";
import { FirstStart } from "./FirstStart";
import { useResolvedState, useTick } from "./refresh";
import { chartStep } from "./resolve_times";
import { servicesQuery } from "./queries";
import { RangePicker } from "./RangePicker";

const sparkWidth = 220;
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

function ServiceRow(props: {
  name: string;
  types: string[];
  row: SeriesRow | undefined;
  answer: SeriesAnswer | undefined;
  total: number;
  type: string;
}) {
  const { name, row, answer } = props;
  const open = {
    ...fresh,
    path: "/profiles" as const,
    query: serviceQuery(name),
    type: props.type,
  };
  return (
    <li class="service panel">
      <Link class="service-link" to={row ? open : { ...open, type: props.types[0] ?? "" }}>
        <span class="service-name clip">
          <bdi>{name}</bdi>
        </span>
        {row && answer ? (
          <Sparkline row={row} from={answer.from} to={answer.to} step={answer.step} />
        ) : (
          <span class="spark soft">{answer ? `no ${typeName(props.type)}` : ""}</span>
        )}
        <span class="service-total number">
          {row && answer ? formatValue(row.total, answer.unit) : "–"}
        </span>
        <span class="service-share number soft">
          {row ? formatShare(row.total, props.total) : ""}
        </span>
      </Link>
      <span class="service-types">
        {sortTypes(props.types).map((type) => (
          <Link key={type} class="tag" to={{ ...open, type }} title={type}>
            {typeName(type)}
          </Link>
        ))}
      </span>
    </li>
  );
}

// A placeholder as high as a row. The order depends on the costs; rows are shown when it is known,
// so that they do not move.
function PendingRow() {
  return (
    <li class="service panel pending" aria-hidden="true">
      <span class="service-link">
        <span class="service-name">&nbsp;</span>
        <span class="spark" />
      </span>
    </li>
  );
}

type Costs = ReadonlyMap<string, SeriesRow>;

// Return the services by cost. The order changes only with the type, the range or a refresh, not
// with live updates.
function useOrder(names: readonly string[], costs: Costs, key: string, ready: boolean): string[] {
  const ranked = useRef<{ key: string; names: string[] }>({ key: "", names: [] });
  if (ready && ranked.current.key !== key)
    ranked.current = {
      key,
      names: [...names].sort(
        (a, b) => (costs.get(b)?.total ?? -1) - (costs.get(a)?.total ?? -1) || a.localeCompare(b),
      ),
    };
  const known = new Set(ranked.current.names);
  const now = new Set(names);
  return [...ranked.current.names.filter((n) => now.has(n)), ...names.filter((n) => !known.has(n))];
}

export function Services(props: { state: State }) {
  const { state } = props;
  const [first, setFirst] = useState(false);
  const [tick, refresh] = useTick(state.live || first);
  const [sorts, sort] = useState(0);
  const [filter, setFilter] = useState("");
  const resolved = useResolvedState(state, tick);
  const range = { from: resolved.from, to: resolved.to };
  const services = useAnswer<ServicesAnswer>(servicesQuery(resolved), tick);
  const list = services.data?.services ?? [];
  useEffect(() => services.data && setFirst(!services.data.others), [services.data]);
  const types = useMemo(
    () => sortTypes([...new Set(list.flatMap((s) => s.types))]),
    [services.data],
  );
  const type = types.includes(state.type) ? state.type : (types[0] ?? "");
  const series = useAnswer<SeriesAnswer>(
    type && services.data?.others
      ? apiUrl("series", {
          ...range,
          query: "",
          type,
          by: ["service_name"],
          spread: true,
          step: chartStep(timeOf(range.from), timeOf(range.to), sparkWidth),
        })
      : undefined,
    tick,
  );
  // only if it is of the selected type
  const answer = series.data?.type === type ? series.data : undefined;
  const costs = useMemo(
    () => new Map((answer?.rows ?? []).map((r) => [r.labels.service_name ?? "", r])),
    [answer],
  );
  const total = answer?.rows.reduce((n, r) => n + r.total, 0) ?? 0;
  const ready = !!(answer && !series.stale) || !!series.error;
  const order = useOrder(
    list.map((s) => s.name),
    costs,
    `${type} ${state.from} ${state.to} ${sorts}`,
    ready,
  );
  const byName = new Map(list.map((s) => [s.name, s.types]));
  const shown = order.filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const again = () => {
    refresh();
    sort((n) => n + 1);
  };
  useKeys("Services", [
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "g", help: "Refresh", run: again },
  ]);
  const empty = services.data && (!services.data.others || !list.length);
  return (
    <div class="page">
      <div class="row bar">
        <h1>Services</h1>
        {!empty && types.length > 0 && (
          <Select
            label="Sort by"
            shown
            value={type}
            options={types.map((t) => [t, typeName(t)] as const)}
            onChange={(t) => go({ type: t })}
          />
        )}
        {!empty && list.length > 3 && (
          <TextInput
            id="search"
            label="Filter services"
            value={filter}
            onChange={setFilter}
            delay={0}
          />
        )}
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={go}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={again}
        />
      </div>
      <AnswerNote answer={services} what="services" />
      {series.error && <AnswerNote answer={series} />}
      {empty ? (
        <FirstStart range={state} />
      ) : (
        <ul class="services" aria-busy={!answer && !series.error}>
          {answer || series.error
            ? shown.map((name) => (
                <ServiceRow
                  key={name}
                  name={name}
                  types={byName.get(name) ?? []}
                  row={costs.get(name)}
                  answer={answer}
                  total={total}
                  type={type}
                />
              ))
            : list.map((s) => <PendingRow key={s.name} />)}
        </ul>
      )}
      {!empty && answer && (
        <p class="soft foot">
          {formatCount(shown.length, "service")}, {formatValue(total, answer.unit)} total
        </p>
      )}
    </div>
  );
}
