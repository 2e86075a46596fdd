import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { type FrontScreenProps, frontTitle } from "./front-page.tsx";

/** The page at /; null for a browser with a session. */
export async function frontView(
  context: LoadContext,
  request: Request,
): Promise<PageView<Record<string, never>, FrontScreenProps> | null> {
  if (await findSubjectOfSession(context, await context.session())) return null;
  const title = frontTitle(await textsOf(context, request));
  return { status: 200, title, state: {}, appUrl: context.config.appUrl };
}
