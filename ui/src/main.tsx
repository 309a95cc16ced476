// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./style.css";

render(<p>Varve</p>, document.getElementById("app")!);
