import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { registerCallbackView } from "./callback-page.server.ts";
import { RegisterCallbackScreen } from "./callback-page.tsx";

/** Where an application sends the person whom it has registered: on to the sign-in form, or the page that says why not. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await registerCallbackView(context, request);
  return data(view, view.status);
}

export default function RegisterCallback() {
  return <RegisterCallbackScreen {...useLoaderData<typeof loader>()} />;
}
