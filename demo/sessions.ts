import { randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import type { Joining } from "./registration-client.ts";
import type { Departure, SignedIn } from "./relying-party.ts";

/** What the application knows about one browser. */
export type Session = {
  id: string;
  /** Sign-ins that were begun and not finished, newest last; each tab has its own. */
  departures: Departure[];
  person: SignedIn | null;
  /** A registration that the person is in the middle of. */
  joining: Joining | null;
  usedAt: number;
};

export type Sessions = {
  /** The session of this browser; a new, empty one when it has none. */
  open(request: Request, response: Response): Session;
  /** A new name for the session, so that a name planted before the sign-in is worth nothing after it. */
  rename(session: Session, response: Response): void;
  forget(session: Session, response: Response): void;
};

const COOKIE = "broker_desk";
const ID_BYTES = 32;
const MAX_IDLE_MS = 8 * 60 * 60 * 1000;
const MAX_SESSIONS = 1_000;

/** Keeps the sessions in memory: they end with the process. */
export function createSessions(): Sessions {
  const sessions = new Map<string, Session>();

  function keep(session: Session, response: Response) {
    sessions.set(session.id, session);
    response.cookie(COOKIE, session.id, { httpOnly: true, sameSite: "lax", path: "/" });
  }

  return {
    open(request, response) {
      const now = Date.now();
      dropOld(sessions, now);
      const known = sessions.get(readCookie(request) ?? "");
      if (known !== undefined) {
        known.usedAt = now;
        return known;
      }
      const session: Session = { id: newId(), departures: [], person: null, joining: null, usedAt: now };
      keep(session, response);
      return session;
    },
    rename(session, response) {
      sessions.delete(session.id);
      session.id = newId();
      keep(session, response);
    },
    forget(session, response) {
      sessions.delete(session.id);
      response.clearCookie(COOKIE, { httpOnly: true, sameSite: "lax", path: "/" });
    },
  };
}

function newId() {
  return randomBytes(ID_BYTES).toString("base64url");
}

function readCookie(request: Request): string | null {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? null;
}

/** A Map keeps the order in which its keys came: the first ones are the oldest. */
function dropOld(sessions: Map<string, Session>, now: number) {
  for (const [id, { usedAt }] of sessions) {
    if (now - usedAt > MAX_IDLE_MS || sessions.size > MAX_SESSIONS) sessions.delete(id);
  }
}
