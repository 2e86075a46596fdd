import { useActionData, useLoaderData } from "@remix-run/react";

type PageOf<Load, Act> =
  | NonNullable<ReturnType<typeof useLoaderData<Load>>>
  | NonNullable<ReturnType<typeof useActionData<Act>>>;

/** Returns the data of the page: the action's result after a form with a response, else the loader's. */
export function usePage<Load, Act>(): PageOf<Load, Act> {
  const loaded = useLoaderData<Load>();
  const sent = useActionData<Act>();
  const page = useUnavailable() ? loaded : (sent ?? loaded);
  if (!page) throw new Error("The page has no data");
  return page;
}

/**
 * The server was not available for a form, which may be sent again. `code`: 503, or 0 without a response. `reference`: of
 * the request; null without a response.
 */
export type Unavailable = { code: 0 | 503; reference: string | null };

/** Returns the failure of the page's last form; null if no form was sent, or the server has handled it. */
export function useUnavailable(): Unavailable | null {
  return useActionData<{ unavailable?: Unavailable }>()?.unavailable ?? null;
}
