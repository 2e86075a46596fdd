import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ConsentScreen } from "#app/screens/consent.tsx";
import { consentView } from "#app/views/consent.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("consent_challenge") ?? "";
  const view = await consentView(context, request, { challenge });
  return data(view, view.status);
}

export default function Consent() {
  return <ConsentScreen {...useLoaderData<typeof loader>()} />;
}
