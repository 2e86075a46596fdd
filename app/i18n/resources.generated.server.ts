// Generated from the folders of locales/: npm run generate
import deAdministration from "#locales/de/administration.json";
import deCommon from "#locales/de/common.json";
import deErrors from "#locales/de/errors.json";
import deLogin from "#locales/de/login.json";
import deMail from "#locales/de/mail.json";
import deManage from "#locales/de/manage.json";
import deScopes from "#locales/de/scopes.json";
import enAdministration from "#locales/en/administration.json";
import enCommon from "#locales/en/common.json";
import enErrors from "#locales/en/errors.json";
import enLogin from "#locales/en/login.json";
import enMail from "#locales/en/mail.json";
import enManage from "#locales/en/manage.json";
import enScopes from "#locales/en/scopes.json";

/** All texts by language. The files of a language form one namespace, so keys are the same everywhere. */
export const resources = {
  de: {
    translation: { ...deAdministration, ...deCommon, ...deErrors, ...deLogin, ...deMail, ...deManage, ...deScopes },
  },
  en: {
    translation: { ...enAdministration, ...enCommon, ...enErrors, ...enLogin, ...enMail, ...enManage, ...enScopes },
  },
};
