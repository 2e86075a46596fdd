import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { arriveFromProvider, requireProvider } from "#app/http/external-sign-in.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { LoginScreen } from "#app/routes/login/login-page.tsx";
import { lostSignInView } from "./lost-sign-in.server.ts";

/** Where providers send the browser back to. Apple posts; the edge has turned that into this GET. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const query = new URL(request.url).searchParams;
  const location = await arriveFromProvider(context, { provider, query });
  if (location !== null) return redirect303(location);
  const view = await lostSignInView(context, request, provider);
  return data(view, view.status);
}

export default function ProviderCallback() {
  return <LoginScreen {...useLoaderData<typeof loader>()} />;
}
