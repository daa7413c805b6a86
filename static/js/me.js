// The page of one's own work and pay.

import { createApi } from "./api.js";
import { startAppeal } from "./appeal.js";
import { startFeedback } from "./feedback.js";
import { readJson } from "./json_data.js";
import { startOwnPage } from "./own_page.js";

const data = readJson("work-data");
const page = { api: createApi(data), strings: readJson("work-strings"), own: data.own };
startAppeal(page);
startFeedback(page);
startOwnPage(data.own);
document.dispatchEvent(new Event("started"));
