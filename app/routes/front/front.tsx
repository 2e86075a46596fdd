import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { frontView } from "./front-page.server.ts";
import { FrontScreen } from "./front-page.tsx";

/** The root of the site: a signed-in user goes on to the settings. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await frontView(context, request);
  return view ? data(view, view.status) : redirect303("/manage/open");
}

/** No form posts here. */
export function action() {
  throw refusal(404, "page_not_found");
}

export default function Front() {
  return <FrontScreen {...useLoaderData<typeof loader>()} />;
}
