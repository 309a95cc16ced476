// SPDX-License-Identifier: Apache-2.0
// A heat map of histograms over time.
import { useMemo } from "preact/hooks";
import { useSize } from "../../base/components";
import { formatTime } from "../../base/time";
import { Cells, sumOf } from "../../heat/grid";
import { HeatCanvas, Legend } from "../../heat/HeatCanvas";
import { formatMetric, plainNumber } from "../../promql/metric_units";
import "../../heat/heat.css";
import { BucketGrid, bucketGrid } from "./heat_grid";
import { usePanelSeries } from "./panel_queries";
import { PanelNotes, PanelProps } from "./SeriesPanels";

const cellPixels = 8;
const labelPixels = 26;

function describe(grid: BucketGrid, cells: Cells, unit: string): string[] {
  const from = grid.start + cells.left * grid.step;
  const to = grid.start + (cells.right + 1) * grid.step;
  const [low, high] = [grid.bounds[cells.bottom + 1], grid.bounds[cells.top]];
  const text = (v: number) => (v === Infinity ? "∞" : formatMetric(v, unit));
  return [
    `${formatTime(from)} – ${formatTime(to).slice(11)}, ${text(low)} to ${text(high)}`,
    plainNumber(sumOf(grid, cells)),
  ];
}

export function HeatPanel({ panel, context }: PanelProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const result = usePanelSeries(panel, context, (size.width / cellPixels) * 3);
  const grid = useMemo(
    () => bucketGrid(result.answers, result.steps),
    [result.answers, result.steps.from, result.steps.to, result.steps.step],
  );
  const height = Math.max(60, size.height - 40);
  const rowPixels = grid ? Math.max(3, Math.min(64, Math.floor(height / grid.rows))) : 8;
  const every = grid ? Math.max(1, Math.ceil(labelPixels / rowPixels)) : 1;
  const unit = panel.unit ?? (
    result.unit === "/s" || result.unit === "cores" ? unitOfBuckets(result.unit) : result.unit
  );
  return (
    <>
      <PanelNotes
        errors={result.errors}
        warnings={result.warnings.filter((w) => !w.startsWith("Only the first"))}
        retry={result.retry}
      />
      <div class="panel-heat" ref={box}>
        {!result.loading && !grid && !result.errors.length && (
          <p class="panel-empty soft">
            {result.data.series.length
              ? "The query returns no histogram: keep the label le, sum by (le) (rate(NAME_bucket[5m])), or query a native histogram"
              : "No data in this range"}
          </p>
        )}
        {grid && (
          <>
            <HeatCanvas
              grid={grid}
              rowPixels={rowPixels}
              rowLabels={grid.bounds
                .map((bound, row) => ({
                  share: row / grid.rows,
                  text: bound === Infinity ? "∞" : formatMetric(bound, unit),
                  row,
                }))
                .filter(({ row }) => (grid.rows - row) % every === 0)}
              label={
                `${panel.title || "Heat map"}: counts by value over time. Arrow keys move, Shift and arrow keys extend, Enter narrows the time range.`
              }
              describe={(cells) => describe(grid, cells, unit)}
              chosen={undefined}
              onChoose={(cells) =>
                cells &&
                context.onRange(
                  grid.start + cells.left * grid.step,
                  grid.start + (cells.right + 1) * grid.step,
                )
              }
            />
            <Legend values={grid.values} format={(n) => plainNumber(n)} />
          </>
        )}
      </div>
    </>
  );
}

// The unit of rates of buckets is that of the observed values.
const unitOfBuckets = (unit: string) => (unit === "cores" ? "s" : "");
