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
 * On `<html>` of a page that hydrates: it has done so, and may be changed now. The event on `window` tells the same, and
 * tells it again after each change to another page without loading a document.
 */
export const PAGE_SHOWN = "data-page-shown";
export const PAGE_EVENT = "gatehouse:page";

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

/**
 * On the form that gives or sets up a second factor: "code" for a typed code, "key" for a registered security key,
 * "new-key" for one that is being set up; these carry `login_challenge`, `mfa_token` and `_xsrf`. "own-key" for one that is
 * being set up in the settings.
 */
export const FACTOR_FORM = "data-factor-form";

/** On the form of a new key: the name of the relying party in the browser's own question. */
export const PRODUCT_NAME = "data-product-name";

/** On a `<template>`: the name by which the script asks for the text inside. */
export const TEXT = "data-text";

/** Stands in a text for the number that the script puts there. */
export const NUMBER_MARK = "%";

/** On what is of use with the script only; rendered `hidden`, the script reveals it. */
export const SCRIPT_ONLY = "data-script-only";

/** On what says how to do without the script; the script hides it. */
export const NO_SCRIPT = "data-no-script";

/** In a key's form: the two buttons, and the line that tells what is going on. */
export const KEY_START = "data-key-start";
export const KEY_STOP = "data-key-stop";
export const KEY_STATUS = "data-key-status";

/** The field with the name of a new key. */
export const KEY_NAME_ID = "key-name";

/** In a form with a typed code: the empty element that announces what is going on. */
export const CODE_STATUS = "data-code-status";

/**
 * On a `<button type="button" hidden>`: the text that it copies. Its `aria-controls` is the element that shows the
 * text; the empty element with the id `copyStatusId(button.id)` takes the outcome, in the two texts below.
 */
export const COPY = "data-copy";
export const COPY_DONE = "data-copy-done";
export const COPY_FAILED = "data-copy-failed";

/** On a `<button type="button" hidden>`: the text that it saves, and the name of the file. */
export const SAVE = "data-save";
export const SAVE_NAME = "data-save-name";

/** On a `<button type="button" hidden>` that prints the page; no value. */
export const PRINT = "data-print";

/** On the form that takes a new password; no value. Its two fields have the ids below. */
export const NEW_PASSWORD_FORM = "data-new-password";
export const NEW_PASSWORD_ID = "new-password";
export const NEW_PASSWORD_REPEAT_ID = "new-password-repeat";

/**
 * On an item of the checklist: the rule it stands for; RULE_MET while the rule is met. Inside, the
 * rule's text, and the element that says in words how it stands.
 */
export const RULE = "data-rule";
export const RULE_MET = "data-met";
export const RULE_TEXT = "data-rule-text";
export const RULE_VERDICT = "data-rule-verdict";

/** The elements that show and that announce how many rules are met. */
export const RULES_SUMMARY = "data-rules-summary";
export const RULES_STATUS = "data-rules-status";

/** On the meter: how many of its bars are lit; METER_TEXT says it in words. */
export const METER_LEVEL = "data-level";
export const METER_TEXT = "data-meter-text";

/** On the button that saves a new password, while it cannot: the element with the id below says why. */
export const SAVE_BLOCKED = "data-blocked";
export const SAVE_BLOCKED_ID = "save-blocked";

/** On the empty element that tells what is missing when somebody tries all the same: its first words. */
export const SAVE_MISSING = "data-save-missing";

/** The tips, and the `<button type="button" hidden>` that hides and shows them, with TEXT_HIDE and TEXT_SHOW. */
export const TIPS = "data-tips";
export const TIPS_TOGGLE = "data-tips-toggle";

/** The element beside a copy button that announces the outcome: rendered empty, with aria-live. */
export function copyStatusId(buttonId: string): string {
  return `${buttonId}-status`;
}
