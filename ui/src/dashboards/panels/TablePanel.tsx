// SPDX-License-Identifier: Apache-2.0
// A table of the values at the end of the range.
import { useMemo, useState } from "preact/hooks";
import { promUrl } from "../../api/client";
import { useQueries } from "../../api/query_queue";
import { InstantTable, instantRows } from "../../promql/InstantTable";
import { unitOf } from "../../promql/metric_units";
import { PromAnswer, stepsOf } from "../../promql/prom_answer";
import { finalQuery, shownQueries } from "./panel_queries";
import { PanelNotes, PanelProps } from "./SeriesPanels";

const maxRows = 1000;
const usualWidth = 600;

export function TablePanel({ panel, context }: PanelProps) {
  const [order, setOrder] = useState("-value");
  const { range } = context;
  const steps = stepsOf(range.from, range.to, usualWidth);
  const queries = shownQueries(panel);
  const { answers, loading, retry } = useQueries<PromAnswer>(
    context.wanted
      ? queries.map((q) =>
          promUrl("query", {
            query: finalQuery(q.query, context, steps),
            time: Math.floor(range.to / 1000),
            limit: panel.limit ?? maxRows,
          }),
        )
      : [],
    context.tick,
    context.wanted,
  );
  const data = answers.map((a) => a.data);
  const rows = useMemo(() => instantRows(data), [...data, data.length]);
  return (
    <>
      <PanelNotes
        errors={answers.flatMap((a) => (a.error ? [a.error.message] : []))}
        empty={!loading && !rows.length}
        retry={retry}
      />
      {rows.length > 0 && (
        <div class="panel-table">
          <InstantTable
            label={panel.title || "Table"}
            rows={rows}
            queries={queries.length}
            units={queries.map((q) => panel.unit ?? unitOf(q.query, context.metadata))}
            decimals={panel.decimals}
            order={order}
            onOrder={setOrder}
          />
        </div>
      )}
    </>
  );
}
