import { randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import type { OpenRegistration } from "./registration-client.ts";
import type { AuthorizationState, SignedInUser } from "./relying-party.ts";

/** The session of one browser. */
export type Session = {
  id: string;
  /** Sign-ins in progress (one per tab), newest last. */
  pendingSignIns: AuthorizationState[];
  user: SignedInUser | null;
  /** A registration in progress. */
  registration: OpenRegistration | null;
  usedAt: number;
};

export type Sessions = {
  /** Returns the session of this browser, or a new empty one. */
  open(request: Request, response: Response): Session;
  /** Replaces the session id, against session fixation. */
  rotateId(session: Session, response: Response): void;
  remove(session: Session, response: Response): void;
};

const COOKIE = "broker_desk";
const ID_BYTES = 32;
const MAX_IDLE_MS = 8 * 60 * 60 * 1000;
const MAX_SESSIONS = 1_000;

/** Creates a session store in memory. */
export function createSessions(): Sessions {
  const sessions = new Map<string, Session>();

  function store(session: Session, response: Response) {
    sessions.set(session.id, session);
    response.cookie(COOKIE, session.id, { httpOnly: true, sameSite: "lax", path: "/" });
  }

  return {
    open(request, response) {
      const now = Date.now();
      removeOld(sessions, now);
      const known = sessions.get(readCookie(request) ?? "");
      if (known !== undefined) {
        known.usedAt = now;
        return known;
      }
      const session: Session = { id: newId(), pendingSignIns: [], user: null, registration: null, usedAt: now };
      store(session, response);
      return session;
    },
    rotateId(session, response) {
      sessions.delete(session.id);
      session.id = newId();
      store(session, response);
    },
    remove(session, response) {
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

/** A Map iterates in insertion order, so the oldest sessions come first. */
function removeOld(sessions: Map<string, Session>, now: number) {
  for (const [id, { usedAt }] of sessions) {
    if (now - usedAt > MAX_IDLE_MS || sessions.size > MAX_SESSIONS) sessions.delete(id);
  }
}
