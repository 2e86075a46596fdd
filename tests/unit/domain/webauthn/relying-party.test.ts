import { expect, it } from "vitest";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";

it.each([
  ["https://login.office.example", { id: "login.office.example", origin: "https://login.office.example" }],
  ["https://login.office.example:8443", { id: "login.office.example", origin: "https://login.office.example:8443" }],
  ["http://localhost:3000", { id: "localhost", origin: "http://localhost:3000" }],
])("%s has its host name and origin as relying party", (issuer, relyingParty) => {
  expect(findRelyingParty(issuer)).toEqual(relyingParty);
});

it.each(["http://127.0.0.1:3000", "https://192.0.2.7", "http://[::1]:3000"])(
  "%s has no relying party, because it is an IP address",
  (issuer) => {
    expect(findRelyingParty(issuer)).toBeNull();
  },
);
