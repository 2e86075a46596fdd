import { describeJourney } from "./journey.ts";
import { startWebkit } from "./webkit.ts";

describeJourney({ name: "WebKitGTK", start: startWebkit });
