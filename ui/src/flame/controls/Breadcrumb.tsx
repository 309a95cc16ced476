// SPDX-License-Identifier: Apache-2.0
// The breadcrumb from the root to the zoomed frame.
import { cleanName, shortName } from "../text/names";

export interface Crumb {
  name: string;
  go: () => void;
}

const maxCrumbs = 3; // the last ones; earlier ones become one button

export function Breadcrumb({
  rootName,
  crumbs,
  onReset,
}: {
  rootName: string;
  crumbs: Crumb[];
  onReset: () => void;
}) {
  const skipped = Math.max(0, crumbs.length - maxCrumbs);
  const shown = crumbs.slice(skipped);
  return (
    <nav class="flame-crumbs" aria-label="Zoom">
      <button
        type="button"
        class="quiet"
        onClick={onReset}
        disabled={!crumbs.length}
        title="Reset zoom (Escape)"
      >
        {rootName}
      </button>
      {skipped > 0 && (
        <>
          <i aria-hidden="true">›</i>
          <button
            type="button"
            class="quiet"
            onClick={crumbs[skipped - 1].go}
            title={cleanName(crumbs[skipped - 1].name, 300)}
            aria-label={`${skipped} more callers`}
          >
            … {skipped}
          </button>
        </>
      )}
      {shown.map((crumb, i) => (
        <>
          <i aria-hidden="true">›</i>
          <button
            type="button"
            class="quiet"
            onClick={crumb.go}
            title={cleanName(crumb.name, 300)}
            aria-current={i === shown.length - 1 ? "location" : undefined}
          >
            <span>{cleanName(shortName(crumb.name), 120)}</span>
          </button>
        </>
      ))}
    </nav>
  );
}
