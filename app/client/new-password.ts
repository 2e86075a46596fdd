// Script of the pages with a new password. Shares rules and meter with the server, which validates again.

import { onEachPage } from "./each-page.ts";
import { checkWhileTyping } from "./password-check.ts";
import { enableTips } from "./tips.ts";

onEachPage(checkWhileTyping);
onEachPage(enableTips);
