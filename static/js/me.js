// The page of one's own work and pay.

import { createApi } from "./api.js";
import { startAppeal } from "./appeal.js";
import { startFeedback } from "./feedback.js";
import { readJson } from "./json_data.js";

const page = { api: createApi(readJson("work-data")), strings: readJson("work-strings") };
startAppeal(page);
startFeedback(page);
document.dispatchEvent(new Event("started"));
