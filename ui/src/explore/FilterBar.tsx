// SPDX-License-Identifier: Apache-2.0
// The filter bar of all pages with profiles: every filter that acts on the page as a chip that
// removes it. Without filters it takes no space.
import { allServices, parseSelector } from "../api/selection";
import { SampleFilters, hasSampleFilters } from "../traces/SampleFilters";
import { fresh, go, State } from "../url";
import { FilterChips, filterChips } from "./FilterChips";
import { LabelChips } from "./LabelPicker";

// `labels` false: the labels of the selection are shown elsewhere (both sides of a comparison).
export function FilterBar(props: { state: State; labels?: boolean; samples?: boolean }) {
  const { state } = props;
  const selector = parseSelector(state.query);
  const labels = props.labels !== false && (!selector || selector.matchers.length > 0);
  const samples = props.samples !== false && hasSampleFilters(state);
  const chips = filterChips(state).length;
  if (!labels && !chips && !samples) return null;
  const count = (labels ? (selector?.matchers.length ?? 1) : 0) + chips + (samples ? 1 : 0);
  return (
    <div class="row filter-bar" role="group" aria-label="Filters">
      <span class="soft">Only</span>
      {labels && (
        <LabelChips
          query={state.query}
          onChange={(query) => go({ query: query || allServices, zoom: [] })}
        />
      )}
      <FilterChips state={state} />
      {samples && <SampleFilters state={state} />}
      {count > 1 && (
        <button
          type="button"
          class="quiet small"
          title="Remove all filters"
          onClick={() =>
            go({
              ...fresh,
              file: state.file,
              function: state.function,
              group: "",
              root: "",
              busy: false,
              invert: false,
              ...(labels ? { query: selector?.service || allServices } : {}),
            })
          }
        >
          Clear
        </button>
      )}
    </div>
  );
}
