// A step of a new campaign: what the server complained about goes once it was changed.
import { forgetChanged } from "./problems.js";

forgetChanged(document.getElementById("step"));
