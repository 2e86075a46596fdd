import "i18next";
import type { resources } from "./resources.generated.server.ts";

// Types the keys by the English texts, so that a misspelt key is a type error.
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: (typeof resources)["en"];
  }
}
