import "i18next";
import type { Texts } from "./resources.server.ts";

// Makes a misspelt key a type error: the English texts are the list of keys.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: Texts };
  }
}
