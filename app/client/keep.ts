// Script of the settings pages that show a secret or recovery codes.

import { enableCopying } from "./copy.ts";
import { onEachPage } from "./each-page.ts";
import { enablePrinting, enableSaving } from "./keep-codes.ts";

onEachPage(enableCopying);
onEachPage(enableSaving);
onEachPage(enablePrinting);
