// SPDX-License-Identifier: Apache-2.0
// Runs before the rest of the pages is even evaluated: the server answers meanwhile.
import { askAhead } from "./api/client";
import { firstQuestions } from "./explore/questions";
import { getState } from "./url";

askAhead(firstQuestions(getState()));
