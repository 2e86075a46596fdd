import type { IncomingMessage, ServerResponse } from "node:http";

/** Used part of Koa's context. */
type KoaContext = { req: IncomingMessage; res: ServerResponse; respond?: boolean | undefined };

/** Requests whose handling failed, possibly after the response was prepared. */
export type DiscardedResponses = {
  /** Runs the work of a request. If it throws, restores the headers and records the error. */
  run(ctx: KoaContext, work: () => Promise<void>): Promise<void>;
  /** Throws the recorded error of this request, if any. */
  throwIfDiscarded(request: IncomingMessage): void;
};

/**
 * Creates the record of discarded responses. oidc-provider handles its own errors. Any other error, such as a failed
 * commit, would lead to Koa's plain-text response; nothing is sent then, and the middleware responds.
 */
export function createDiscardedResponses(): DiscardedResponses {
  const discarded = new WeakMap<IncomingMessage, { error: unknown }>();
  return {
    async run(ctx, work) {
      const { req, res } = ctx;
      const before = headersOf(res);
      try {
        await work();
      } catch (error) {
        for (const name of res.getHeaderNames()) res.removeHeader(name);
        for (const [name, value] of before) res.setHeader(name, value);
        discarded.set(req, { error });
        // Koa does not send a response then.
        ctx.respond = false;
      }
    },
    throwIfDiscarded(request) {
      const entry = discarded.get(request);
      if (entry) throw entry.error;
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
