// SPDX-License-Identifier: Apache-2.0
// Shown for a selection without data, e.g. an old link or an unknown label. Offers selections that
// have data.
import { apiUrl, ApiError, useAnswer } from "../api/client";
import { serviceOf } from "../api/selection";
import { Empty, Link } from "../base/components";
import { formatAge, formatRange } from "../base/time";
import { go, State } from "../url";

const farBack = "now-30d";

// Return the time of the latest profile of the selection; undefined while it is unknown, 0 if there
// is none.
function useNewest(query: string): number | undefined {
  const { data, error } = useAnswer<{ profiles: { time: number }[] }>(
    apiUrl("profiles", { query, from: farBack, to: "now", limit: 1 }),
  );
  return error ? 0 : data && (data.profiles[0]?.time ?? 0);
}

// Whether the selection has data, but not of the queried type.
export const isOtherType = (why: ApiError) => why.message.startsWith("no profile type");

export function NoData(props: { state: State; why: ApiError }) {
  const { state, why } = props;
  const newest = useNewest(state.query);
  const otherType = isOtherType(why);
  const service = serviceOf(state.query);
  return (
    <Empty
      title={otherType ? "No profiles of this type" : `No data for ${state.query} in this range`}
    >
      <p class="soft">{otherType ? why.message : formatRange(state)}</p>
      {newest ? (
        <p>{`Latest profile: ${formatAge(newest)}.`}</p>
      ) : (
        newest === 0 && <p>No data in the last 30 days either.</p>
      )}
      <p class="row empty-ways">
        {otherType && (
          <button type="button" onClick={() => go({ type: "" })}>
            Default type
          </button>
        )}
        {!!newest && (
          <Link
            class="button"
            to={{ from: String(newest - 3600e3), to: String(newest + 60e3), live: false, zoom: [] }}
          >
            Show latest
          </Link>
        )}
        {service !== state.query && (
          <Link class="button" to={{ query: service, zoom: [] }}>
            Remove label filters
          </Link>
        )}
        <Link class="button" to={{ path: "/", query: "", type: "", from: "now-1h", to: "now" }}>
          All services
        </Link>
      </p>
    </Empty>
  );
}
