import "i18next";
import type { Texts } from "./resources.server.ts";

// Types the keys by the English texts, so that a misspelt key is a type error.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: Texts };
  }
}
