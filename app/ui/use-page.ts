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

/** Why a form may be sent again: 503, or 0 without a response. `reference`: of the request; null without a response. */
export type Unavailable = { code: 0 | 503; reference: string | null };

/** Returns why the page's form may be sent again; null if it was not sent, or the server has handled it. */
export function useUnavailable(): Unavailable | null {
  return useActionData<{ unavailable?: Unavailable }>()?.unavailable ?? null;
}
