// SPDX-License-Identifier: Apache-2.0
// The flame graph of a selection of profiles.
import { useMemo, useState } from "preact/hooks";
import { apiUrl } from "../../api/client";
import { useQueries } from "../../api/query_queue";
import { FlameAnswer } from "../../api/types";
import { Link } from "../../base/components";
import { FlameGraph } from "../../flame/FlameGraph";
import { treeOf } from "../../flame/model/tree";
import { fresh } from "../../url";
import { substitute } from "../variables";
import { shownQueries } from "./panel_queries";
import { PanelNotes, PanelProps } from "./SeriesPanels";

const maxNodes = 5000;

export function FlamePanel({ panel, context }: PanelProps) {
  const [zoom, setZoom] = useState<string[]>([]);
  const [selected, setSelected] = useState("");
  const first = shownQueries(panel)[0];
  const query = substitute(first?.query ?? "{}", context.values);
  const type = first?.type ?? "cpu";
  const when = {
    from: String(Math.round(context.range.from)),
    to: String(Math.round(context.range.to)),
  };
  const { answers, loading, retry } = useQueries<FlameAnswer>(
    context.wanted
      ? [
        apiUrl(
          "flame",
          { query, type, ...when, path: zoom, nearest: zoom.length > 0, max_nodes: maxNodes },
        ),
      ]
      : [],
    context.tick,
    context.wanted,
  );
  const answer = answers[0];
  const tree = useMemo(
    () => answer?.data && treeOf(answer.data.nodes, answer.data.unit, answer.data.kept),
    [answer?.data],
  );
  const none = answer?.error?.status === 404;
  return (
    <>
      <PanelNotes
        errors={answer?.error && !none ? [answer.error.message] : []}
        empty={!loading && (none || (!!answer?.data && answer.data.total === 0))}
        retry={retry}
      />
      <div class="panel-flame">
        {tree && !none && (
          <FlameGraph
            tree={tree}
            layout="icicle"
            colour="package"
            palette="redgreen"
            collapse=""
            search=""
            selected={selected}
            zoom={zoom}
            onZoom={setZoom}
            onSelect={setSelected}
            busy={loading}
          />
        )}
      </div>
      <p class="panel-foot">
        <Link to={{ ...fresh, path: "/profiles", query, type, ...when, view: "both" }}>
          Open the profile
        </Link>
      </p>
    </>
  );
}
