/**
 * The data attributes by which a page talks to the small script. Components write them, the script reads them.
 * Every text that the script shows comes from one of them, so the script knows no language.
 */

/**
 * On `<html>`: the area the page belongs to, "login" or "manage".
 * In the login area the script mirrors the language between cookie and local storage.
 */
export const AREA = "data-area";

/**
 * On the `<button type="button" hidden>` that shows and hides a password; no value.
 * The button also carries `aria-controls` (id of the input), its visible text (the show text) and
 * `aria-label` (the show label), and the six texts below. The script reveals it.
 */
export const PASSWORD_TOGGLE = "data-password-toggle";

/** Accessible name while the password is hidden, e.g. "Show new password". */
export const LABEL_SHOW = "data-label-show";

/** Accessible name while the password is visible, e.g. "Hide new password". */
export const LABEL_HIDE = "data-label-hide";

/** Visible text while the password is hidden, e.g. "Show". */
export const TEXT_SHOW = "data-text-show";

/** Visible text while the password is visible, e.g. "Hide". */
export const TEXT_HIDE = "data-text-hide";

/** Announced when the password becomes visible. */
export const STATUS_SHOWN = "data-status-shown";

/** Announced when the password is hidden again. */
export const STATUS_HIDDEN = "data-status-hidden";

/**
 * On a password `<input>`: the sentence to show below it while Caps Lock is on.
 * The element that takes the sentence is rendered empty and has the id `capsLockHintId(input.id)`.
 */
export const CAPS_LOCK_TEXT = "data-caps-lock";

/** On a submit button: its label while the form is being sent, e.g. "Signing in …". */
export const BUSY_LABEL = "data-busy-label";

/**
 * The element that announces a password's visibility, rendered empty beside the field:
 * `<div id={passwordStatusId(fieldId)} className="visually-hidden" aria-live="polite" />`.
 */
export function passwordStatusId(fieldId: string): string {
  return `${fieldId}-status`;
}

/**
 * The element that takes the Caps Lock sentence, rendered empty and `hidden` below the field:
 * `<p id={capsLockHintId(fieldId)} hidden />`. The field's `aria-describedby` names it from the start.
 */
export function capsLockHintId(fieldId: string): string {
  return `${fieldId}-caps`;
}
