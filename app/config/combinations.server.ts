import { isLoopback } from "./address-values.server.ts";
import type { ConfigMistake } from "./config.ts";
import { type Environment, mistakeAt } from "./environment.server.ts";
import { validateMailOauth } from "./mail-oauth-combinations.server.ts";
import { PROVIDER_RULES } from "./provider-keys.server.ts";
import { isGiven, type Sources } from "./sources.server.ts";

/** Returns the mistakes that concern several keys, whether their values are valid or not. */
export function validateCombinations(sources: Sources): ConfigMistake[] {
  return [
    ...Object.values(PROVIDER_RULES).flatMap((keys) => validateProvider(keys, sources)),
    ...validateMailOauth(sources),
    ...validatePorts(sources),
  ];
}

/** Returns warnings about settings that are valid but probably unintended. */
export function warnOfCombinations(sources: Sources, environment: Environment): ConfigMistake[] {
  return [
    ...warnOfAddress(sources, environment),
    ...warnOfProxy(environment),
    ...warnOfMail(environment),
    ...warnOfKeys(environment),
  ];
}

function validateProvider(keys: { needs: string[]; starts: string[] }, sources: Sources): ConfigMistake[] {
  const givenKey = [...keys.needs, ...keys.starts].find((key) => isGiven(key, sources));
  if (!givenKey) return [];
  return keys.needs
    .filter((key) => !isGiven(key, sources))
    .map((key) => mistakeAt(key, `is not set, but ${givenKey} is; a provider requires all of its keys`));
}

function validatePorts(sources: Sources): ConfigMistake[] {
  const port = sources.texts.get("PORT")?.text;
  const metricsPort = sources.texts.get("METRICS_PORT")?.text;
  const isShared = metricsPort !== undefined && Number(metricsPort) === Number(port);
  return isShared ? [mistakeAt("METRICS_PORT", "is the same as PORT")] : [];
}

function warnOfAddress(sources: Sources, environment: Environment): ConfigMistake[] {
  if (isGiven("ISSUER", sources) || String(environment.PORT) === new URL(environment.ISSUER).port) return [];
  const wrong = `is not set, so its default ${environment.ISSUER} applies, but PORT is ${environment.PORT}; requests for any other host or port are refused`;
  return [mistakeAt("ISSUER", wrong)];
}

function warnOfProxy(environment: Environment): ConfigMistake[] {
  const needsProxy = environment.ISSUER.startsWith("https:") && !isLoopback(new URL(environment.ISSUER).hostname);
  const wrong =
    "is not set, but ISSUER is https, which requires a proxy; all users will share the address of the proxy";
  return needsProxy && !environment.TRUST_PROXY ? [mistakeAt("TRUST_PROXY", wrong)] : [];
}

function warnOfMail(environment: Environment): ConfigMistake[] {
  return environment.SMTP_URL ? [] : [mistakeAt("SMTP_URL", "is not set: mails are written to files and not sent")];
}

/** A random key of 32 characters has fewer distinct ones less than once in 10^12, even in hex. */
const FEWEST_DIFFERENT_CHARACTERS = 6;

function warnOfKeys(environment: Environment): ConfigMistake[] {
  const place = environment.SECRET_KEYS.findIndex((secretKey) => new Set(secretKey).size < FEWEST_DIFFERENT_CHARACTERS);
  const wrong = `has fewer than ${FEWEST_DIFFERENT_CHARACTERS} different characters in key ${place + 1} of ${environment.SECRET_KEYS.length}; generate a random key`;
  return place < 0 ? [] : [mistakeAt("SECRET_KEYS", wrong)];
}
