// Declarations for packages without types.

declare module "express-session" {
  import type { RequestHandler } from "express";

  export default function session(options: {
    secret: string;
    resave: boolean;
    saveUninitialized: boolean;
    name?: string;
  }): RequestHandler;
}

declare module "passport" {
  import type { RequestHandler } from "express";

  type Done = (error: unknown, value?: unknown) => void;

  class Passport {
    use(strategy: unknown): void;
    serializeUser(save: (user: unknown, done: Done) => void): void;
    deserializeUser(read: (kept: unknown, done: Done) => void): void;
    session(): RequestHandler;
    authenticate(strategy: string, options?: { successRedirect?: string; failureRedirect?: string }): RequestHandler;
  }

  const passport: { Passport: typeof Passport };
  export default passport;
}

declare module "passport-openidconnect" {
  export class Strategy {
    constructor(options: Readonly<Record<string, unknown>>, verify: unknown);
  }
}

declare namespace Express {
  // Added by passport.
  interface Request {
    user?: unknown;
    logout(done: (error: unknown) => void): void;
  }
}
