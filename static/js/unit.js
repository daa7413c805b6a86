// A paid unit that is over: hands it in automatically the first time, or looks again for work.

import { goTo } from "./addresses.js";
import { createApi } from "./api.js";
import { readJson } from "./json_data.js";
import { startOwnPage } from "./own_page.js";
import { startWaiting } from "./waiting.js";

const data = readJson("work-data");
const handIn = document.getElementById("hand-in");

startOwnPage(data.own);
startWaiting({ api: createApi(data), finished: data.finished });
if (handIn?.dataset.byItself !== undefined) {
  if (handIn instanceof HTMLFormElement) handIn.submit();
  else goTo(handIn.href);
}
