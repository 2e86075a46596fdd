// The script of the pages that take a new password. Rules and meter are the server's own; it has the last word.

import { onEachPage } from "./each-page.ts";
import { checkWhileTyping } from "./password-check.ts";
import { enableTips } from "./tips.ts";

onEachPage(checkWhileTyping);
onEachPage(enableTips);
