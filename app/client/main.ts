// Script of every page. All pages work without it. Settings pages load it after hydration (app/ui/page-changes.tsx).

import { CapsLockHint } from "#app/client/elements/caps-lock-hint.ts";
import { CodeEntry } from "#app/client/elements/code-entry.ts";
import { CopyText } from "#app/client/elements/copy-text.ts";
import { NewPassword } from "#app/client/elements/new-password.ts";
import { PasswordRules } from "#app/client/elements/password-rules.ts";
import { PrintPage } from "#app/client/elements/print-page.ts";
import { SaveText } from "#app/client/elements/save-text.ts";
import { SecurityKey } from "#app/client/elements/security-key.ts";
import { ShowPassword } from "#app/client/elements/show-password.ts";
import { StrengthMeter } from "#app/client/elements/strength-meter.ts";
import { TipsCard } from "#app/client/elements/tips-card.ts";
import { placeFirstFocus } from "./first-focus.ts";
import { mirrorLanguage } from "./language-mirror.ts";
import { takeOwnAddress } from "./own-address.ts";
import { guardSubmits } from "./submit-guard.ts";

mirrorLanguage();
takeOwnAddress();
guardSubmits();
placeFirstFocus();

customElements.define("show-password", ShowPassword);
customElements.define("caps-lock-hint", CapsLockHint);
customElements.define("password-rules", PasswordRules);
customElements.define("strength-meter", StrengthMeter);
// After the two elements that it updates.
customElements.define("new-password", NewPassword);
customElements.define("tips-card", TipsCard);
customElements.define("copy-text", CopyText);
customElements.define("save-text", SaveText);
customElements.define("print-page", PrintPage);
customElements.define("code-entry", CodeEntry);
customElements.define("security-key", SecurityKey);
