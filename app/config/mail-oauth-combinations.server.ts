import type { ConfigMistake } from "./config.ts";
import { mistakeAt } from "./environment.server.ts";
import { isGiven, type Sources } from "./sources.server.ts";
import { isDecodable, parseUrl } from "./validate.server.ts";

const CREDENTIALS = ["MAIL_OAUTH_CLIENT_SECRET", "MAIL_OAUTH_CERTIFICATE", "MAIL_OAUTH_SERVICE_ACCOUNT"] as const;
const CLIENT_KEYS = ["MAIL_OAUTH_TENANT", "MAIL_OAUTH_CLIENT_ID"] as const;
const OTHER_KEYS = ["MAIL_OAUTH_TOKEN_URL", "MAIL_OAUTH_SCOPE", "MAIL_OAUTH_SECRET_EXPIRES"] as const;

/** Returns the mistakes in the combination of the keys MAIL_OAUTH_…; none if none of them is set. */
export function validateMailOauth(sources: Sources): ConfigMistake[] {
  const has = (name: string) => isGiven(name, sources);
  const given = [...CLIENT_KEYS, ...CREDENTIALS, ...OTHER_KEYS].find(has);
  if (given === undefined) return [];
  const rules = has("MAIL_OAUTH_SERVICE_ACCOUNT") ? serviceAccountRules(has) : clientRules(given, has);
  return [...credentialRules(given, has), ...rules, ...mailboxRules(given, sources)];
}

type Has = (name: string) => boolean;

function credentialRules(given: string, has: Has): ConfigMistake[] {
  const [first, second] = CREDENTIALS.filter(has);
  if (first === undefined) {
    const wrong = `is not set, but ${given} is; set it, MAIL_OAUTH_CERTIFICATE or MAIL_OAUTH_SERVICE_ACCOUNT`;
    return [mistakeAt("MAIL_OAUTH_CLIENT_SECRET", wrong)];
  }
  if (second !== undefined) return [mistakeAt(second, `is set, and so is ${first}; set only one of them`)];
  const hasTwoEnds = first === "MAIL_OAUTH_CERTIFICATE" && has("MAIL_OAUTH_SECRET_EXPIRES");
  return hasTwoEnds ? [mistakeAt("MAIL_OAUTH_SECRET_EXPIRES", "is set, but a certificate contains its own end")] : [];
}

function serviceAccountRules(has: Has): ConfigMistake[] {
  const wrong = "is set, but MAIL_OAUTH_SERVICE_ACCOUNT contains its own";
  return CLIENT_KEYS.filter(has).map((name) => mistakeAt(name, wrong));
}

function clientRules(given: string, has: Has): ConfigMistake[] {
  const [tenant, tokenUrl] = [has("MAIL_OAUTH_TENANT"), has("MAIL_OAUTH_TOKEN_URL")];
  return [
    ...(has("MAIL_OAUTH_CLIENT_ID") ? [] : [mistakeAt("MAIL_OAUTH_CLIENT_ID", `is not set, but ${given} is`)]),
    ...(tenant || tokenUrl
      ? []
      : [mistakeAt("MAIL_OAUTH_TENANT", `is not set, but ${given} is; set it or MAIL_OAUTH_TOKEN_URL`)]),
    ...(tenant && tokenUrl
      ? [mistakeAt("MAIL_OAUTH_TOKEN_URL", "is set, and so is MAIL_OAUTH_TENANT; set only one of them")]
      : []),
    ...(tokenUrl && !has("MAIL_OAUTH_SCOPE")
      ? [mistakeAt("MAIL_OAUTH_SCOPE", "is not set, but MAIL_OAUTH_TOKEN_URL is")]
      : []),
  ];
}

function mailboxRules(given: string, sources: Sources): ConfigMistake[] {
  if (!isGiven("SMTP_URL", sources)) return [mistakeAt("SMTP_URL", `is not set, but ${given} is`)];
  // An unusable URL has its own mistake.
  const url = parseUrl(sources.texts.get("SMTP_URL")?.text ?? "");
  if (url === null) return [];
  if (url.password !== "") return [mistakeAt("SMTP_URL", `contains a password, but ${given} is set`)];
  if (!isDecodable(url.username)) return [mistakeAt("SMTP_URL", "contains a % that encodes no character")];
  const isNamed = url.username !== "" || isGiven("MAIL_FROM", sources);
  return isNamed ? [] : [mistakeAt("MAIL_FROM", `is not set, but ${given} is; it names the mailbox that signs in`)];
}
