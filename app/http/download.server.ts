import type { LoaderFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import type { Language } from "#app/i18n/language.ts";
import { redirect303 } from "./reply.server.ts";

/** Returns the delimiter of a table: German spreadsheet programs would show a line with commas in one cell. */
export function delimiterFor(language: Language): "," | ";" {
  return language === "de" ? ";" : ",";
}

const refusalSchema = z.object({ code: z.string() });

/**
 * Returns the loader of a file that a person downloads from a page. The route is no page, so that Remix would send a
 * refusal of the loader as JSON: it is a redirect to the page of the error instead.
 */
export function download(
  load: (args: LoaderFunctionArgs) => Promise<Response>,
): (args: LoaderFunctionArgs) => Promise<Response> {
  return async (args) => {
    try {
      return await load(args);
    } catch (thrown) {
      if (!(thrown instanceof Response) || thrown.status < 400) throw thrown;
      const { code } = refusalSchema.parse(await thrown.json());
      return redirect303(`/manage/error/${encodeURIComponent(code)}`);
    }
  };
}
