// Script of every page. All pages work without it.

import { watchCapsLock } from "./caps-lock.ts";
import { onEachPage } from "./each-page.ts";
import { placeFirstFocus } from "./first-focus.ts";
import { mirrorLanguage } from "./language-mirror.ts";
import { takeOwnAddress } from "./own-address.ts";
import { enablePasswordToggles } from "./password-toggle.ts";
import { guardSubmits } from "./submit-guard.ts";

mirrorLanguage();
takeOwnAddress();
onEachPage(enablePasswordToggles);
onEachPage(watchCapsLock);
guardSubmits();
onEachPage(placeFirstFocus);
