import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAdministration } from "#app/http/administration.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { administrationPages } from "#app/ui/administration-pages.ts";

/** Redirects from /manage/admin to the first page that the role has. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { administrator } = await requireAdministration(context, request, "see people");
  return redirect303(administrationPages(administrator.role)[0]?.to ?? "/");
}

/** Renders nothing: the loader redirects or throws. A route with a component is a page, whose errors are pages too. */
export default function FirstPage() {
  return null;
}
