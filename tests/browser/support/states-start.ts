import { updateClient } from "#app/db/repositories/clients.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page } from "./page-state.ts";
import { seedSession } from "./session.ts";

const EDGE =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0";

/** Opens `/` with a session, after a sign-in that the audit trail contains. */
async function openStart({ anna, installation, user }: Visit): Promise<void> {
  const signIn = { type: "sign-in.succeeded", outcome: "ok", userAgent: EDGE, userId: user.id } as const;
  await recordEvent(installation.server.context, signIn);
  await seedSession(installation, anna, user);
  await anna.page.goto(installation.server.url);
}

/** Opens an application that is open to no group. */
async function openClosed({ anna, installation: { server }, own, user }: Visit): Promise<void> {
  const party = await server.parties.create({ name: "Broker Desk", firstParty: true, clientUri: `${own.url}/` });
  await updateClient(server.context.store, party.clientId, { access: "groups" }, new Date());
  await seedSession({ server }, anna, user);
  await anna.page.goto(party.request().url);
}

export const startStates: readonly PageState[] = [
  page("nobody signed in", "front.heading", async ({ anna, installation }) => {
    await anna.page.goto(installation.server.url);
  }),
  page("start page", "start.title", openStart),
  { name: "an application without access", status: 403, title: "noAccess.title", reach: openClosed },
];
