/** Texts by key, nested as in the files of locales/. */
export type TextTree = { readonly [key: string]: string | TextTree };

/** Texts that settings pages need in the browser. Names of events and scopes are translated on the server. */
const NEEDED = [
  /^(common|field|footer|serverError|passwordMeter|passwordRules|passwordTips|webauthn)\./,
  /^manage(?!Activity\.)\w*\./,
  /^admin\.title$/,
  /^manageActivity\.(heading$|intro$|none$|newest$|older$|pages$|newBrowser$|notMe$|notMeAt$|unknown\.|kind\.)/,
  /^mfaLogin\.(error\.|totp\.checking$|fido2\.(start|prompt|waiting|success|timeHint_\w+)$|passkeyOrKey\.(waiting|success)$)/,
  /^recovery\.(heading|description|offer|create|onlyOnce|print|printHint|download|copy|saved|fileName|remaining_\w+)$/,
];

/**
 * Returns the texts of a language that settings pages need in the browser, with the text of the fallback language where
 * one is missing, because a browser loads one language only.
 */
export function selectSettingsTexts(texts: TextTree, fallback: TextTree, path = ""): TextTree {
  const selected: Record<string, string | TextTree> = {};
  for (const [name, text] of Object.entries({ ...fallback, ...texts })) {
    const key = path + name;
    if (typeof text === "string") {
      if (NEEDED.some((pattern) => pattern.test(key))) selected[name] = text;
      continue;
    }
    const inner = selectSettingsTexts(treeOf(texts[name]), treeOf(fallback[name]), `${key}.`);
    if (Object.keys(inner).length > 0) selected[name] = inner;
  }
  return selected;
}

function treeOf(text: TextTree[string] | undefined): TextTree {
  return typeof text === "object" ? text : {};
}
