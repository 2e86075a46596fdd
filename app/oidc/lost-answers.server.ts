import type { IncomingMessage, ServerResponse } from "node:http";

/** Used part of Koa's context. */
type Exchange = { req: IncomingMessage; res: ServerResponse; respond?: boolean | undefined };

/** Requests whose handling failed, possibly after the response was prepared. */
export type LostAnswers = {
  /** Runs the work of a request. If it throws, restores the headers and records the error. */
  note(ctx: Exchange, work: () => Promise<void>): Promise<void>;
  /** Throws the recorded error of this request, if any. */
  throwIfLost(request: IncomingMessage): void;
};

/**
 * Creates the record of discarded responses. oidc-provider handles its own errors. Any other error, such as a failed
 * commit, would lead to Koa's plain-text response; nothing is sent then, and the middleware responds.
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
        // Koa does not send a response then.
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

/** Returns the current headers. Lists are copied, because adding a cookie mutates them. */
function headersOf(response: ServerResponse): [name: string, value: HeaderValue][] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? [...value] : value] satisfies [string, HeaderValue]];
  });
}
