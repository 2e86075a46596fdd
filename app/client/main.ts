// Script of every page. All pages work without it. Settings pages load it after hydration (app/ui/page-changes.tsx).

import { CapsLockHint } from "#app/client/elements/caps-lock-hint.ts";
import { CodeEntry } from "#app/client/elements/code-entry.ts";
import { CopyText } from "#app/client/elements/copy-text.ts";
import { NewPassword } from "#app/client/elements/new-password.ts";
import { PasskeySignIn } from "#app/client/elements/passkey-sign-in.ts";
import { PasskeySignal } from "#app/client/elements/passkey-signal.ts";
import { PasswordRules } from "#app/client/elements/password-rules.ts";
import { PrintPage } from "#app/client/elements/print-page.ts";
import { SaveText } from "#app/client/elements/save-text.ts";
import { SecurityKey } from "#app/client/elements/security-key.ts";
import { ShowPassword } from "#app/client/elements/show-password.ts";
import { StrengthMeter } from "#app/client/elements/strength-meter.ts";
import { TipsCard } from "#app/client/elements/tips-card.ts";
import { findFirstField } from "./first-field.ts";
import { mirrorLanguage } from "./language-mirror.ts";
import { reportPasskeyDevice } from "./passkey-device.ts";
import { guardSubmits } from "./submit-guard.ts";

mirrorLanguage();
replacePostInHistory();
guardSubmits();
placeFirstFocus();
void reportPasskeyDevice();

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
customElements.define("passkey-sign-in", PasskeySignIn);
customElements.define("security-key", SecurityKey);
customElements.define("passkey-signal", PasskeySignal);

/** Focuses the error summary; otherwise the first field. */
function placeFirstFocus(): void {
  // The browser applied autofocus, or the user focused an element while the script was loading.
  if (document.activeElement !== document.body) return;
  const summary = document.querySelector<HTMLElement>("[role=alert][tabindex='-1']");
  if (summary) {
    summary.focus();
    return;
  }
  // The user followed a fragment link.
  if (location.hash) return;
  if (document.querySelector("[role=alert]")) return;
  findFirstField()?.focus();
}

/**
 * Replaces the history entry of a response to a POST with a URL that GET can load, so that a reload does not submit the
 * form again. Without a query, the URL is that of the link to the other language, without `lng`. Needed even if the URL
 * is unchanged, because replaceState turns the entry into a GET.
 */
function replacePostInHistory(): void {
  const link = document.querySelector<HTMLAnchorElement>("footer a[hreflang]");
  const button = document.querySelector<HTMLButtonElement>("footer button[formaction]");
  const other = button?.formAction ?? link?.href;
  if (!other) return;
  const own = new URL(location.search ? location.href : other);
  if (!location.search) own.searchParams.delete("lng");
  history.replaceState(null, "", own.pathname + own.search + location.hash);
}
