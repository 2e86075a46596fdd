import { expect, it } from "vitest";
import { creationOptions, requestOptions } from "#app/domain/webauthn/options.ts";

const started = { relyingPartyId: "login.office.example", challenge: "Y2hhbGxlbmdl", sessionId: "s" };

it("creation options match the specification", () => {
  const icon = "https://pictures.example/anna.png";
  const user = { username: "anna", displayName: "Anna Ott", base64EncodedUserId: "+/8=", icon };
  const options = creationOptions({ ...started, userId: "+/8=", existingCredentialIds: ["b2xk"], user }, "Gatehouse");
  expect(options).toEqual({
    rp: { id: "login.office.example", name: "Gatehouse" },
    user: { id: "-_8", name: "anna", displayName: "Anna Ott", icon },
    challenge: "Y2hhbGxlbmdl",
    pubKeyCredParams: [
      { type: "public-key", alg: -7 },
      { type: "public-key", alg: -35 },
      { type: "public-key", alg: -36 },
    ],
    timeout: 60_000,
    excludeCredentials: [{ type: "public-key", id: "b2xk" }],
    authenticatorSelection: {
      authenticatorAttachment: "cross-platform",
      residentKey: "discouraged",
      requireResidentKey: false,
      userVerification: "discouraged",
    },
    attestation: "direct",
  });
});

it("request options match the specification", () => {
  expect(requestOptions({ ...started, allowedCredentialIds: ["b2xk"] })).toEqual({
    rpId: "login.office.example",
    challenge: "Y2hhbGxlbmdl",
    timeout: 30_000,
    allowCredentials: [{ type: "public-key", id: "b2xk" }],
    userVerification: "discouraged",
  });
});
