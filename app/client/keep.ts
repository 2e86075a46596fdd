// The script of the pages of the settings that show what is to be kept elsewhere: a secret, or recovery codes.

import { enableCopying } from "./copy.ts";
import { onEachPage } from "./each-page.ts";
import { enablePrinting, enableSaving } from "./keep-codes.ts";

onEachPage(enableCopying);
onEachPage(enableSaving);
onEachPage(enablePrinting);
