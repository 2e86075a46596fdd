// Script of the second-factor pages. Codes work without it; security keys need it.

import { enableCodeCheck } from "./code-check.ts";
import { enableCopying } from "./copy.ts";
import { onEachPage } from "./each-page.ts";
import { enablePrinting, enableSaving } from "./keep-codes.ts";
import { enableKeyCheck } from "./key-check.ts";
import { enableKeySetUp } from "./key-set-up.ts";

onEachPage(enableCodeCheck);
onEachPage(enableKeyCheck);
onEachPage(enableKeySetUp);
onEachPage(enableCopying);
onEachPage(enableSaving);
onEachPage(enablePrinting);
