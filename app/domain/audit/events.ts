/** All events. Each is logged; `stored` ones also get a row in the hash-chained audit trail. */
export const AUDIT_EVENTS = {
  "sign-in.succeeded": { stored: true },
  "sign-in.second-factor-required": { stored: true },
  "sign-in.refused": { stored: true },
  // Log only: a throttled client must not be able to fill the disk.
  "sign-in.throttled": { stored: false },
  "sign-in.alarm": { stored: true },
  "factor.added": { stored: true },
  "factor.removed": { stored: true },
  // Log only: the sign-in that follows is stored, with its factors.
  "factor.accepted": { stored: false },
  "factor.refused": { stored: true },
  // Log only: as sign-in.throttled.
  "factor.throttled": { stored: false },
  "recovery-codes.made": { stored: true },
  "recovery-code.used": { stored: true },
  "security-key.flagged": { stored: true },
  "security-key.backup-changed": { stored: true },
  "device.remembered": { stored: true },
  "device.used": { stored: true },
  "device.forgotten": { stored: true },
  "sign-out": { stored: true },
  // Log only: one per session and client.
  "backchannel-logout.sent": { stored: false },
  // Log only: the last attempt is stored.
  "backchannel-logout.postponed": { stored: false },
  "backchannel-logout.failed": { stored: true },
  "consent.granted": { stored: true },
  "consent.refused": { stored: true },
  // Log only: clients refresh their tokens often.
  "token.issued": { stored: false },
  "token.refused": { stored: false },
  "token.revoked": { stored: true },
  "password-reset.requested": { stored: true },
  // Log only: a request needs no sign-in and can name any user.
  "password-reset.refused": { stored: false },
  "password-reset.done": { stored: true },
  "password-reset.seen": { stored: true },
  "factor-reset.requested": { stored: true },
  // Log only: after the password, the request can be repeated without limit.
  "factor-reset.refused": { stored: false },
  "factor-reset.stopped": { stored: true },
  "factor-reset.done": { stored: true },
  "settings.link-made": { stored: true },
  "settings.opened": { stored: true },
  // Log only: an old link can be opened without limit.
  "settings.refused": { stored: false },
  // Log only: as sign-in.throttled.
  "settings.throttled": { stored: false },
  "reauthentication.succeeded": { stored: true },
  "reauthentication.refused": { stored: true },
  "password.changed": { stored: true },
  "password.refused": { stored: true },
  "username.changed": { stored: true },
  "session.ended": { stored: true },
  "consent.withdrawn": { stored: true },
  "provider.connected": { stored: true },
  "provider.disconnected": { stored: true },
  // Log only: an external sign-in can be started without limit.
  "provider.refused": { stored: false },
  // Log only: a registration can be started from any sign-in form, and the client can repeat its calls.
  "registration.begun": { stored: false },
  "registration.redeemed": { stored: false },
  "registration.refused": { stored: false },
  "registration.completed": { stored: true },
  "user.added": { stored: true },
  "user.invited": { stored: true },
  "user.password-set": { stored: true },
  "user.blocked": { stored: true },
  "user.unblocked": { stored: true },
  "user.changed": { stored: true },
  "user.removed": { stored: true },
  "user.unlocked": { stored: true },
  "user.sessions-ended": { stored: true },
  "group.added": { stored: true },
  "group.changed": { stored: true },
  "client.added": { stored: true },
  "client.changed": { stored: true },
  "client.secret-rotated": { stored: true },
  "client.removed": { stored: true },
  "key.published": { stored: true },
  "key.activated": { stored: true },
  "key.retired": { stored: true },
  "key.removed": { stored: true },
  "secrets.reencrypted": { stored: true },
  "audit.trimmed": { stored: true },
  "instance.moved": { stored: true },
  "database.restored": { stored: true },
  "access.ended": { stored: true },
} as const satisfies Record<string, { stored: boolean }>;

/** Name of an audit event, as logged and stored. */
export type AuditEventType = keyof typeof AUDIT_EVENTS;
