import "i18next";
import type { Texts } from "./resources.server.ts";

// Makes a misspelt key a type error: the English texts are the list of keys.
declare module "i18next" {
  // biome-ignore lint/style/useConsistentTypeDefinitions: i18next asks for this interface to be merged.
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: Texts };
  }
}
