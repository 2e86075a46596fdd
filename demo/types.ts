import type { Request, Response } from "express";
import type { PageInput } from "./pages.ts";
import type { RegistrationClient } from "./registration-client.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { Sessions } from "./sessions.ts";
import type { SettingsClient } from "./settings-client.ts";

/** Dependencies of the request handlers. */
export type DemoAppDeps = {
  url: string;
  issuer: string;
  issuerName: string;
  relyingParty: RelyingParty;
  registration: RegistrationClient;
  sessions: Sessions;
  settings: SettingsClient;
};

/** One request, its response, and the input of the page that is sent. */
export type Exchange = { request: Request; response: Response; input: PageInput };
