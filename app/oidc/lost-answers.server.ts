import type { IncomingMessage, ServerResponse } from "node:http";

/** What of Koa's context is needed. */
type Exchange = { req: IncomingMessage; res: ServerResponse; respond?: boolean | undefined };

/** Requests that a defect has ended, maybe when their answer was ready and the database lost what they had written. */
export type LostAnswers = {
  /** Does the work of a request; when it fails, whatever it has answered is taken back, and the request is noted. */
  note(ctx: Exchange, work: () => Promise<void>): Promise<void>;
  /** Throws why the answer of this request was lost, if it was. */
  throwIfLost(request: IncomingMessage): void;
};

/**
 * The engine turns its own errors into answers. A defect, and a commit that fails when the answer stands already, would
 * leave the browser with a line of plain text: so nothing is sent, and the edge answers as it does for every other defect.
 */
export function createLostAnswers(): LostAnswers {
  const lost = new WeakMap<IncomingMessage, { error: unknown }>();
  return {
    async note(ctx, work) {
      const { req, res } = ctx;
      const before = headersOf(res);
      try {
        await work();
      } catch (error) {
        for (const name of res.getHeaderNames()) res.removeHeader(name);
        for (const [name, value] of before) res.setHeader(name, value);
        lost.set(req, { error });
        // Koa leaves the response to somebody else.
        ctx.respond = false;
      }
    },
    throwIfLost(request) {
      const found = lost.get(request);
      if (found) throw found.error;
    },
  };
}

type HeaderValue = NonNullable<ReturnType<ServerResponse["getHeader"]>>;

/** The headers as they are now. Cookies are added to a list that is changed in its place: hence a copy of it. */
function headersOf(response: ServerResponse): [name: string, value: HeaderValue][] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? [...value] : value] satisfies [string, HeaderValue]];
  });
}
