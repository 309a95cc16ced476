// SPDX-License-Identifier: Apache-2.0
// Placeholder: reserves the address /dashboards.
import { Empty, Link } from "../base/components";

export function Dashboards() {
  return (
    <div class="page">
      <Empty title="Dashboards are not available yet">
        <p class="soft">Use Grafana dashboards with Varve as a Pyroscope data source.</p>
        <p>
          <Link class="button" to={{ path: "/" }}>
            All services
          </Link>
        </p>
      </Empty>
    </div>
  );
}
