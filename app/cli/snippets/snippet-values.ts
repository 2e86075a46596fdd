import type { ClientView } from "#app/domain/client/show.server.ts";

/** Values of sample code. */
export type SnippetValues = {
  issuer: string;
  id: string;
  redirectUri: string;
  postLogoutRedirectUri: string | null;
  /** Separated by spaces. */
  scope: string;
  authMethod: ClientView["authMethod"];
  idTokenAlg: ClientView["idTokenAlg"];
};
