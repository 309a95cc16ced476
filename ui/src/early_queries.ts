// SPDX-License-Identifier: Apache-2.0
// The first, small script of a page: it sends the queries that follow from the address, so that the
// server answers while the browser loads the main script. useAnswer() takes the answers.
import { send, tenant } from "./api/transport";
import { firstQueries } from "./explore/queries";
import { pageTime } from "./explore/resolve_times";
import { getState } from "./url";

const scope = tenant();
globalThis.varveEarlyQueries = {
  time: pageTime,
  sent: Object.fromEntries(firstQueries(getState()).map((url) => [url, send(url, scope)])),
};
