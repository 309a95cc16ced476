// SPDX-License-Identifier: Apache-2.0
// Which views are loaded later, and when.
import { later } from "./base/later";
import { State } from "./url";

export const otherViews = later(() => import("./later"));

export const isOther = ({ path, view }: State) => (path === "/profiles" ? !["both", "flame", "table"].includes(view) : path !== "/");
