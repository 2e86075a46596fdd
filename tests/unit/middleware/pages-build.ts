import type { ActionFunctionArgs, LoaderFunctionArgs, ServerBuild } from "@remix-run/node";

/** Handles a request in place of the product's pages, without React. */
export type Pages = (args: LoaderFunctionArgs | ActionFunctionArgs) => unknown;

/** Creates a Remix build with one resource route for all URLs, to test the middleware without the product's pages. */
export function pagesBuild(pages: Pages = echo): ServerBuild {
  const answer = async (args: LoaderFunctionArgs | ActionFunctionArgs) => (await pages(args)) ?? null;
  const module = { loader: answer, action: answer };
  return {
    mode: "production",
    entry: {
      module: {
        default: () => new Response("no documents here", { status: 500 }),
        handleError: (error, { context }) => context.log.error({ message: String(error) }, "page failed"),
      },
    },
    routes: { everything: { id: "everything", path: "*", module: { ...module, default: undefined } } },
    assets: { entry: { imports: [], module: "" }, routes: {}, url: "", version: "" },
    publicPath: "/",
    assetsBuildDirectory: "build/client",
    future: {
      v3_fetcherPersist: true,
      v3_relativeSplatPath: true,
      v3_throwAbortReason: true,
      v3_lazyRouteDiscovery: true,
      v3_singleFetch: true,
    },
    isSpaMode: false,
  };
}

/** Responds with the request as the page received it. */
async function echo({ request, context }: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
  const { requestId, cspNonce, browser, address, userAgent, failure } = context;
  const { method, url, headers } = request;
  return Response.json({
    method,
    url,
    body: await request.text(),
    headers: Object.fromEntries(headers),
    facts: { requestId, cspNonce, browser, address, userAgent, failure },
  });
}
