// SPDX-License-Identifier: Apache-2.0
// The first script of a page, and a small one: it asks what the address tells, and the server answers while the browser reads
// the rest. What it asked is taken by useAnswer().
import { send, tenant } from "./api/wire";
import { firstQuestions } from "./explore/questions";
import { pageTime } from "./explore/moment";
import { getState } from "./url";

const scope = tenant();
globalThis.varveAhead = { time: pageTime, sent: Object.fromEntries(firstQuestions(getState()).map((url) => [url, send(url, scope)])) };
