import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { activityView } from "#app/routes/settings/lists.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { ActivityScreen } from "./activity-page.tsx";

/** Anything else in the address shows the newest events. */
const schema = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .nullable()
  .catch(null);

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const before = schema.parse(new URL(request.url).searchParams.get("before"));
  const view = await activityView(context, request, settings, { before });
  return data(view, view.status);
}

export default function Activity() {
  return <ActivityScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}
