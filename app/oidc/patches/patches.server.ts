import type { Provider } from "oidc-provider";
import { FORMER_ID, GENERATION, PERSISTED } from "#app/oidc/record-properties.ts";
import { findInSession, queueLogoutsOfSession, rejectSavingEndedSession } from "./ended-session.server.ts";
import { omitEngineLogout } from "./engine-logout.server.ts";
import { addToPayload, applySignInTimes } from "./own-properties.server.ts";
import { findMember, type Original, type Patch, type PatchDeps } from "./patch.server.ts";
import { consumeForSuccessor, findRepeatableToken, saveAsSuccessor } from "./refresh-leeway.server.ts";
import { requireBrowserOfInteraction, resumeOnce } from "./resume.server.ts";
import { consumeCodeOnce, recordAssertionOnce } from "./single-use.server.ts";
import { ignoreUnknownSession } from "./unknown-session.server.ts";

/**
 * All members of oidc-provider 9.13 that are replaced. oidc-provider keeps a model for each kind of record: a class with
 * static functions that find records, and methods that save, consume (mark as used) or destroy one. The models store
 * records by an adapter (adapter.server.ts), which sees only ids and stored properties. Hooks are the functions of its
 * configuration (configuration.server.ts) and middleware. Each member occurs once, so that the order has no meaning.
 */
export const PATCHES: readonly Patch[] = [
  {
    name: "A session keeps our properties: the user's generation, last visit, start, and markers for the adapter",
    member: "Session.IN_PAYLOAD",
    parameters: 0,
    why: "The list of stored properties; all others are lost between two requests. It is not configurable.",
    decision: "022-tombstones-of-engine-records.md",
    test: "`tests/http/oidc/ended-sessions.test.ts`: is found by the new id only",
    replace: addToPayload([GENERATION, "visit", "signedInAt", PERSISTED, FORMER_ID]),
  },
  {
    name: "A grant (what a user allows a client) is invalid after a password change or a block",
    member: "Grant.IN_PAYLOAD",
    parameters: 0,
    why: "As for sessions. The generation is compared with the user's current one when the grant is read.",
    decision: "023-generation-of-grants-and-codes.md",
    test: "`tests/http/oidc/single-use.test.ts`: is invalid: tokens of such a grant",
    replace: addToPayload([GENERATION, PERSISTED]),
  },
  {
    name: "An authorization code is invalid after a password change or a block",
    member: "AuthorizationCode.IN_PAYLOAD",
    parameters: 0,
    why: "As for sessions. `extraTokenClaims` adds properties to access tokens only.",
    decision: "023-generation-of-grants-and-codes.md",
    test: "`tests/http/oidc/single-use.test.ts`: is invalid: a code that was stored before the commit under a grant that was stored after it",
    replace: addToPayload([GENERATION]),
  },
  {
    name: "A session has the times of the sign-in, and no auth_time if that is unknown",
    member: "Session.prototype.loginAccount",
    parameters: 1,
    why: "Copies a finished sign-in to the session, with the current time if it has none. No hook runs between this and saving the session.",
    decision: "028-time-of-the-last-proof.md",
    test: "`tests/http/external/fresh-proof.test.ts`: has no auth_time where the provider gave none, and meets no max_age",
    replace: applySignInTimes,
  },
  {
    name: "An ended session is not saved again",
    member: "Session.prototype.save",
    parameters: 1,
    why: "Runs at the end of a request that loaded the session at its start. The adapter can refuse the save, but only by an error, which would be the response.",
    decision: "022-tombstones-of-engine-records.md",
    test: "`tests/http/oidc/ended-sessions.test.ts`: is not stored again when its row was deleted",
    replace: rejectSavingEndedSession,
  },
  {
    name: "The end of a session queues its back-channel logouts in the same transaction",
    member: "Session.prototype.destroy",
    parameters: 0,
    why: "Passes the adapter the id of one record. The logouts need uid and user, and no hook runs in its transaction.",
    decision: "029-back-channel-logouts-are-queued.md",
    test: "`tests/http/oidc/back-channel-logout.test.ts`: is sent to the application's back channel with a valid logout token",
    replace: queueLogoutsOfSession,
  },
  {
    name: "A late request with a former session id does not sign the user out",
    member: "Session.get",
    parameters: 1,
    why: "Loads the session of a request. For an unknown id it creates an empty one and sets its cookie; there is no option for this.",
    decision: "025-one-response-per-request.md",
    test: "`tests/http/oidc/ended-sessions.test.ts`: keeps its cookie when a late request sends the former id",
    replace: ignoreUnknownSession,
  },
  {
    name: "A client assertion (signed JWT in place of a client secret) is accepted once in all processes",
    member: "ReplayDetection.unique",
    parameters: 3,
    why: "Searches for the assertion and then inserts it. The adapter cannot report in `upsert` that another request inserted it first.",
    decision: "075-patches-of-oidc-provider.md",
    test: "`tests/http/oidc/single-use.test.ts`: a client assertion is recorded by one statement: of ten simultaneous checks one is accepted",
    replace: recordAssertionOnce,
  },
  {
    name: "Of several exchanges of a code one succeeds, if the session is live; the others revoke its grant",
    member: "AuthorizationCode.prototype.consume",
    parameters: 0,
    why: "Passes the adapter only the id. The statement needs the uid of the session, and the failure the id of the grant.",
    decision: "022-tombstones-of-engine-records.md",
    test: "`tests/http/oidc/single-use.test.ts`: revoke its grant, and the log reports it",
    replace: consumeCodeOnce,
  },
  {
    name: "A code is valid with its session, also if another tab has signed in to the same client meanwhile",
    member: "AuthorizationCode.find",
    parameters: 0,
    why: "Requires that the session's grant for the client is that of the code. Its grant is the last one; there is no option for this.",
    decision: "075-patches-of-oidc-provider.md",
    test: "`tests/http/oidc/two-tabs.test.ts`: tabs that sign in to one application at the same moment get usable codes",
    replace: findInSession,
  },
  {
    name: "An access token is valid with its session, also if another tab has signed in to the same client meanwhile",
    member: "AccessToken.find",
    parameters: 0,
    why: "As for codes.",
    decision: "075-patches-of-oidc-provider.md",
    test: "`tests/http/oidc/two-tabs.test.ts`: tokens of one tab stay valid when the next tab allows the same application",
    replace: findInSession,
  },
  {
    name: "A used refresh token can be repeated for 10 seconds: read it as unused",
    member: "RefreshToken.find",
    parameters: 0,
    why: "oidc-provider revokes the grant of a used token at once. The adapter could hide the use, but not attach the successor to the token.",
    decision: "024-repeated-refresh.md",
    test: "`tests/http/oidc/refresh.test.ts`: works if the process died between the two steps: the repeated request stores the successor",
    replace: findRepeatableToken,
  },
  {
    name: "A used refresh token can be repeated for 10 seconds: store its successor",
    member: "RefreshToken.prototype.consume",
    parameters: 0,
    why: "Passes the adapter only the id. The successor has to be kept with the token, and the failure needs the id of the grant.",
    decision: "024-repeated-refresh.md",
    test: "`tests/http/oidc/refresh.test.ts`: returns an ID token too, and may request fewer scopes",
    replace: consumeForSuccessor,
  },
  {
    name: "A used refresh token can be repeated for 10 seconds: respond with its successor",
    member: "RefreshToken.prototype.save",
    parameters: 0,
    why: "Creates a random token and returns it. The adapter stores it but cannot choose it; `formats` sets only its length.",
    decision: "024-repeated-refresh.md",
    test: "`tests/http/oidc/refresh.test.ts`: by six simultaneous requests returns the same successor to all, and revokes nothing",
    replace: saveAsSuccessor,
  },
  {
    name: "An authorization request is continued only in the browser that completed its sign-in",
    member: "Interaction.find",
    parameters: 1,
    why: "Loads the interaction (an open authorization request) that a browser resumes, identified by a cookie that another host can set. No hook runs before it is finished.",
    decision: "025-one-response-per-request.md",
    test: "`tests/http/login/challenge-of-another-browser.test.ts`: is not brought in either (path: %s)",
    replace: requireBrowserOfInteraction,
  },
  {
    name: "Of several requests that resume an interaction one succeeds; the others get the page of a used request",
    member: "Interaction.prototype.destroy",
    parameters: 0,
    why: "Finishes an interaction. The adapter refuses the second time by an error, after which oidc-provider would still save the session and set its cookie.",
    decision: "025-one-response-per-request.md",
    test: "`tests/http/login/simultaneous-responses.test.ts`: issues one code and leaves the user signed in, %s",
    replace: resumeOnce,
  },
  {
    name: "A sign-out does not wait for the back channels of clients",
    member: "Client.prototype.backchannelLogout",
    parameters: 2,
    why: "Posts a logout token to a client during the sign-out. Without the feature, clients have no such URI and the metadata does not announce it; our worker sends by this method.",
    decision: "029-back-channel-logouts-are-queued.md",
    test: "`tests/http/oidc/back-channel-logout.test.ts`: does not wait for an endpoint that never responds",
    replace: omitEngineLogout,
  },
];

/**
 * Replaces the members of this provider's models; other providers of the process keep theirs.
 * @throws Error if oidc-provider lacks a member
 */
export function applyPatches(provider: Provider, deps: Omit<PatchDeps, "provider">): void {
  for (const { member, replace } of PATCHES) {
    const { owner, name, method, isGetter } = findMember(provider, member);
    const original: Original = (self, ...args) => Reflect.apply(method, self, args);
    const replacement = replace(original, { ...deps, provider });
    Object.defineProperty(owner, name, isGetter ? { get: replacement } : { value: replacement });
  }
}
