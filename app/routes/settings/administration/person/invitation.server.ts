import type { PersonChange } from "#app/domain/person/change.server.ts";
import type { Resending, Withdrawal } from "#app/domain/user/invitations.server.ts";

/** Returns the result of sending an invitation again, or of withdrawing it, as that of a change of a person. */
export function toPersonChange({ kind }: Resending | Withdrawal): PersonChange {
  switch (kind) {
    case "used":
      return { kind: "refused", code: "user has a password", detail: "" };
    case "blocked":
      return { kind: "refused", code: "user is blocked", detail: "" };
    case "no e-mail":
      return { kind: "refused", code: "user has no e-mail", detail: "" };
    case "throttled":
      return { kind: "refused", code: "throttled", detail: "" };
    default:
      return { kind };
  }
}
