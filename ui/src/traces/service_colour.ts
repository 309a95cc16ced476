// SPDX-License-Identifier: Apache-2.0
// The colour of a service, the same in all views of traces and logs, and in both themes: no text is
// drawn on it.
import { cssOf, groupColour } from "../flame/canvas/colours";

export const serviceColour = (service: string) => cssOf(groupColour("light", service, 0));
