/**
 * The data attributes that components render and the client scripts read. All texts that a script shows come from
 * attributes or templates, so the scripts contain no texts of their own.
 */

/** On `<html>`: the area of the page, "login" or "manage". */
export const AREA = "data-area";

/**
 * On `<html>` of a page of the settings: set when it has hydrated and scripts may change it. The event on `window` is
 * dispatched at that moment and after each client-side navigation.
 */
export const PAGE_SHOWN = "data-page-shown";
export const PAGE_EVENT = "gatehouse:page";

/**
 * On the `<button type="button" hidden>` that toggles the visibility of a password; no value. The button also has
 * `aria-controls` (id of the input), the show text as its content, the show label as `aria-label`, and the six texts
 * below. The script reveals it.
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
 * On a password `<input>`: the text to show while Caps Lock is on. It is shown in the element with the id
 * `capsLockHintId(input.id)`, which is rendered empty.
 */
export const CAPS_LOCK_TEXT = "data-caps-lock";

/** On a submit button: its label while the form is being sent, e.g. "Signing in …". */
export const BUSY_LABEL = "data-busy-label";

/**
 * Returns the id of the element that announces a password's visibility, rendered empty beside the field:
 * `<div id={passwordStatusId(fieldId)} className="visually-hidden" aria-live="polite" />`.
 */
export function passwordStatusId(fieldId: string): string {
  return `${fieldId}-status`;
}

/**
 * Returns the id of the element that shows the Caps Lock hint, rendered empty and `hidden` below the field:
 * `<p id={capsLockHintId(fieldId)} hidden />`. The field's `aria-describedby` contains the id.
 */
export function capsLockHintId(fieldId: string): string {
  return `${fieldId}-caps`;
}

/**
 * On the form of a second factor: "code" for a typed code, "key" for a registered security key, "new-key" for a
 * registration during sign-in; these have the fields `login_challenge`, `mfa_token` and `_xsrf`. "own-key" is a
 * registration in the settings.
 */
export const FACTOR_FORM = "data-factor-form";

/** On the form of a new key: the relying party name for the browser's dialog. */
export const PRODUCT_NAME = "data-product-name";

/** On a `<template>`: the name of the text inside. */
export const TEXT = "data-text";

/** Placeholder in a text that the script replaces with a number. */
export const NUMBER_MARK = "%";

/** On elements that need the script; rendered `hidden`, revealed by the script. */
export const SCRIPT_ONLY = "data-script-only";

/** On elements for browsers without the script; hidden by the script. */
export const NO_SCRIPT = "data-no-script";

/** In the form of a security key: the start and stop buttons, and the status line. */
export const KEY_START = "data-key-start";
export const KEY_STOP = "data-key-stop";
export const KEY_STATUS = "data-key-status";

/** The field with the name of a new key. */
export const KEY_NAME_ID = "key-name";

/** In a form with a typed code: the empty live region for its status. */
export const CODE_STATUS = "data-code-status";

/**
 * On a `<button type="button" hidden>`: the text to copy. Its `aria-controls` is the element that shows the text; the
 * outcome, one of the two texts below, is announced in the element with the id `copyStatusId(button.id)`.
 */
export const COPY = "data-copy";
export const COPY_DONE = "data-copy-done";
export const COPY_FAILED = "data-copy-failed";

/** On a `<button type="button" hidden>`: the text to save, and the file name. */
export const SAVE = "data-save";
export const SAVE_NAME = "data-save-name";

/** On a `<button type="button" hidden>` that prints the page; no value. */
export const PRINT = "data-print";

/** On the form for a new password; no value. Its two fields have the ids below. */
export const NEW_PASSWORD_FORM = "data-new-password";
export const NEW_PASSWORD_ID = "new-password";
export const NEW_PASSWORD_REPEAT_ID = "new-password-repeat";

/** On an item of the checklist: the rule; RULE_MET while it is met. Inside: the rule's text, and its state in words. */
export const RULE = "data-rule";
export const RULE_MET = "data-met";
export const RULE_TEXT = "data-rule-text";
export const RULE_VERDICT = "data-rule-verdict";

/** The element that shows how many rules are met, and the live region that announces it. */
export const RULES_SUMMARY = "data-rules-summary";
export const RULES_STATUS = "data-rules-status";

/** On the meter: the number of filled bars. METER_TEXT: the element with the strength in words. */
export const METER_LEVEL = "data-level";
export const METER_TEXT = "data-meter-text";

/** On the submit button of a new password while submission is blocked; the element with the id below explains it. */
export const SAVE_BLOCKED = "data-blocked";
export const SAVE_BLOCKED_ID = "save-blocked";

/** On the empty element that lists the missing rules after a blocked submission: the introduction of the list. */
export const SAVE_MISSING = "data-save-missing";

/** The tips, and the `<button type="button" hidden>` that hides and shows them, with TEXT_HIDE and TEXT_SHOW. */
export const TIPS = "data-tips";
export const TIPS_TOGGLE = "data-tips-toggle";

/** Returns the id of the element that announces the outcome of a copy button, rendered empty with aria-live. */
export function copyStatusId(buttonId: string): string {
  return `${buttonId}-status`;
}
