import type { LoaderFunctionArgs } from "@remix-run/node";
import { findLogo } from "#app/domain/application-access/logo.server.ts";
import { LOGO_POLICY } from "#app/http/brand-files.server.ts";
import { refusal } from "#app/http/refusal.server.ts";

/**
 * Responds with the logo of an application; `v` is its hash, so that browsers keep it for a year. Responds 404 for any
 * other hash, whether or not the application exists. The response is kept by browsers only, because it may set a cookie.
 */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const contentHash = new URL(request.url).searchParams.get("v") ?? "";
  const logo = await findLogo(context, { clientId: params["id"] ?? "", contentHash });
  if (!logo) throw refusal(404, "page_not_found");
  const { mediaType, content } = logo;
  return new Response(Buffer.from(content), {
    headers: {
      // The encoding in which the file was checked: its XML declaration could name another one.
      "Content-Type": mediaType === "image/svg+xml" ? `${mediaType}; charset=utf-8` : mediaType,
      "Content-Length": String(content.byteLength),
      "Content-Security-Policy": LOGO_POLICY,
      "Cache-Control": "private, max-age=31536000, immutable",
    },
  });
}
