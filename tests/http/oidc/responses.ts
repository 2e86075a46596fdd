import type { HttpResponse } from "#tests/support/browser-jar.ts";

/** Returns whether the page has a form with this action. */
export function hasForm(response: HttpResponse, path: string): boolean {
  return (
    response.location === null &&
    response
      .page()
      .forms()
      .some(({ action }) => action === path)
  );
}

/** Returns the parameters of the redirect to the application. Throws if there is none. */
export function redirectParameters(response: HttpResponse): Record<string, string> {
  if (response.location === null || !leaves(response)) {
    throw new Error(`No redirect to the application but ${response.status}: ${response.body.slice(0, 2_000)}`);
  }
  const { searchParams, hash } = new URL(response.location);
  return Object.fromEntries(hash === "" ? searchParams : new URLSearchParams(hash.slice(1)));
}

/** Returns the application's code. Throws if there is none. */
export function codeOf(response: HttpResponse): string {
  const { code, ...parameters } = redirectParameters(response);
  if (code === undefined) throw new Error(`No code but ${JSON.stringify(parameters)}`);
  return code;
}

export function leaves({ location, url }: HttpResponse) {
  return location !== null && new URL(location).origin !== new URL(url).origin;
}
