// SPDX-License-Identifier: Apache-2.0
// The panels of a dashboard on its grid, and its variables.
import { useRef } from "preact/hooks";
import { useMetadata } from "../promql/known_metrics";
import { timeOf } from "../base/time";
import { go, State } from "../url";
import { zoomIn, zoomOut } from "../explore/time_zoom";
import { columns, Dashboard, duplicated, inOrder, moved, Panel, resized, without } from "./model";
import { PanelContext } from "./panels/panel_queries";
import { PanelActions, PanelFrame } from "./PanelFrame";
import { Resolved, useVariables, VariableBar } from "./VariableBar";
import { urlOfValues, valuesOfUrl } from "./variables";

const rowPixels = 36;
const gapPixels = 8;

export function DashboardView(props: {
  dashboard: Dashboard;
  state: State;
  resolved: State; // with resolved times
  tick: number;
  onPanels?: (panels: Panel[]) => void; // in edit mode
  onEdit?: (panel: number) => void;
}) {
  const { dashboard, state, resolved, tick, onPanels } = props;
  const grid = useRef<HTMLDivElement>(null);
  const metadata = useMetadata();
  const range = { from: timeOf(resolved.from), to: timeOf(resolved.to) };
  const variables = dashboard.variables ?? [];
  const given = valuesOfUrl(state.var);
  const chosen: Resolved = useVariables(variables, given, range, tick);
  const context: PanelContext = {
    range,
    values: chosen.values,
    tick,
    wanted: chosen.ready,
    metadata,
    onRange: (from, to) => go(zoomIn(state, from, to)),
    onReset: () => go(zoomOut(state)),
  };
  const cell = () => ({
    width: (grid.current?.clientWidth ?? 1200) / columns,
    height: rowPixels + gapPixels,
  });
  const { panels } = dashboard;
  const actionsOf = (i: number): PanelActions | undefined =>
    onPanels && {
      move: (dx, dy) => onPanels(moved(panels, i, dx, dy)),
      resize: (dw, dh) => onPanels(resized(panels, i, dw, dh)),
      edit: () => props.onEdit?.(i),
      duplicate: () => onPanels(duplicated(panels, i)),
      remove: () => onPanels(without(panels, i)),
    };
  const alone = state.panel !== "" && !onPanels ? Number(state.panel) : -1;
  const list = inOrder(panels).filter(({ i }) => alone < 0 || !panels[alone] || i === alone);
  return (
    <>
      <VariableBar
        variables={variables}
        resolved={chosen}
        onChange={(name, values) => go({ var: urlOfValues({ ...given, [name]: values }) })}
      />
      <div
        class={`board ${alone >= 0 ? "board-alone-grid" : ""}`}
        ref={grid}
        style={alone >= 0 ? {} : { gridAutoRows: `${rowPixels}px`, gap: `${gapPixels}px` }}
      >
        {list.map(({ panel, i }) => (
          <PanelFrame
            key={i}
            panel={panel}
            context={context}
            actions={actionsOf(i)}
            alone={alone === i}
            onAlone={() => go({ panel: alone === i ? "" : String(i) })}
            cell={cell}
          />
        ))}
      </div>
    </>
  );
}
