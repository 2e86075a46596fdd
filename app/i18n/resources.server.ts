import deCommon from "#locales/de/common.json";
import deErrors from "#locales/de/errors.json";
import deLogin from "#locales/de/login.json";
import deMail from "#locales/de/mail.json";
import deManage from "#locales/de/manage.json";
import deScopes from "#locales/de/scopes.json";
import enCommon from "#locales/en/common.json";
import enErrors from "#locales/en/errors.json";
import enLogin from "#locales/en/login.json";
import enMail from "#locales/en/mail.json";
import enManage from "#locales/en/manage.json";
import enScopes from "#locales/en/scopes.json";
import type { Language } from "./language.ts";

const en = { ...enCommon, ...enLogin, ...enManage, ...enErrors, ...enScopes, ...enMail };

/** Type of all texts. The English texts define it; every other language must match. */
export type Texts = typeof en;

const de: Texts = { ...deCommon, ...deLogin, ...deManage, ...deErrors, ...deScopes, ...deMail };

/** All texts by language. The six files of a language form one namespace, so keys are the same everywhere. */
export const resources = {
  en: { translation: en },
  de: { translation: de },
} satisfies Record<Language, { translation: Texts }>;
