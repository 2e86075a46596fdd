import type { TFunction } from "i18next";
import { z } from "zod";
import { type Administrator, allows } from "#app/domain/administration/administrator.ts";
import { dayOf } from "#app/domain/base/day.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import {
  findInvitationChoices,
  type InvitationChoices,
  type InvitedPerson,
  type Inviting,
} from "#app/domain/user/invite-person.server.ts";
import type { Administration } from "#app/http/administration.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Problem } from "#app/ui/error-summary.tsx";
import { pageTitle } from "#app/ui/title.ts";

const ofEveryRole = { given_name: text(), family_name: text(), email: text(), username: text(), last_day: text() };

/** Ticked groups and other fields: more groups than a person can have, so that the page can say so. */
const MAX_FIELDS = 600;

/** By role: a help desk of one office has no field for the office, and no help desk one for further groups. */
const FORMS = {
  administrator: {
    ...defineForm({ ...ofEveryRole, office: text(), group: z.array(z.string()).default([]) }),
    maxFields: MAX_FIELDS,
  },
  "help-desk": defineForm({ ...ofEveryRole, office: text() }),
  "help-desk of one office": defineForm(ofEveryRole),
};

/** Returns the form of an invitation that the role has; other fields are refused. */
export function inviteFormOf({ role, officeId }: Administrator) {
  return FORMS[role === "help-desk" && officeId !== null ? "help-desk of one office" : role];
}

/** The typed values of the form, by field. */
export type InviteValues = Record<keyof typeof ofEveryRole | "office", string> & { group: readonly string[] };

export const NO_VALUES: InviteValues = {
  ...{ given_name: "", family_name: "", email: "", username: "", last_day: "" },
  ...{ office: "", group: [] },
};

const posted = z.object({ ...ofEveryRole, office: text(), group: z.array(z.string()).default([]) });

/** Returns the values of a posted form; fields that the role does not have are empty. */
export function inviteValues(value: unknown): InviteValues {
  return posted.parse(value);
}

/** Returns the values of a form as input of the domain. */
export function invitedOf({ given_name, family_name, email, office, group, username, last_day }: InviteValues) {
  const optional = (value: string) => (value.trim() === "" ? null : value);
  return {
    ...{ givenName: given_name, familyName: family_name, email },
    ...{ officeId: office === "" ? null : office, groupIds: [...group] },
    ...{ username: optional(username), lastDay: optional(last_day) },
  } satisfies InvitedPerson;
}

/** A refused invitation; `xsrf`: the form was not of this page. */
export type Refused = Extract<Inviting, { kind: "refused" | "throttled" }> | { kind: "xsrf" };

export type InvitePage = PageView<
  { xsrf_token: string; error?: ErrorCode },
  {
    values: InviteValues;
    error: ErrorCode | null;
    problems: Problem[];
    choices: InvitationChoices;
    today: string;
    mayImport: boolean;
  }
>;

/** Loads the page with the form. */
export async function loadInvitePage(
  { context, administrator, xsrf }: Administration,
  request: Request,
  { values = NO_VALUES, refused = null }: { values?: InviteValues; refused?: Refused | null } = {},
): Promise<InvitePage> {
  const { t } = await settingsTexts(context, request);
  const error = refused && codeOf(refused);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("adminInvite.title"), refused !== null),
    state: { xsrf_token: xsrf, ...(error ? { error } : {}) },
    ...{ values, error, problems: refused ? problemsOf(t, refused) : [] },
    choices: await findInvitationChoices(context, administrator),
    today: dayOf(context.clock.now(), context.config.timeZone),
    mayImport: allows(administrator, "import people"),
  };
}

function codeOf(refused: Refused): ErrorCode {
  return refused.kind === "refused" ? refused.code : refused.kind;
}

function problemsOf(t: TFunction, refused: Refused): Problem[] {
  switch (refused.kind) {
    case "xsrf":
      return [{ text: t("common.formExpired") }];
    case "throttled":
      return [{ text: t("adminInvite.error.throttled", { count: Math.ceil(refused.retryAfterSeconds / 60) }) }];
    case "refused":
      return refused.fields.map((field) => problemAt(t, refused.code, field));
  }
}

/** Returns the sentence for an invalid field of the domain's input, and the id of its field on the page. */
function problemAt(t: TFunction, code: ErrorCode, field: string): Problem {
  switch (field) {
    case "givenName":
      return { field: "given_name", text: t("adminInvite.error.givenName") };
    case "familyName":
      return { field: "family_name", text: t("adminInvite.error.familyName") };
    case "email":
      return { field: "email", text: t("adminInvite.error.email") };
    case "officeId":
      return { field: "office", text: t("adminInvite.error.office") };
    case "groupIds":
      return {
        text: code === "too many groups" ? t("adminInvite.error.tooManyGroups") : t("adminInvite.error.groups"),
      };
    case "username":
      return {
        field: "username",
        text:
          code === "username not available" ? t("adminInvite.error.usernameTaken") : t("adminInvite.error.username"),
      };
    case "lastDay":
      return { field: "last_day", text: t("adminInvite.error.lastDay") };
    default:
      return { text: t("adminInvite.error.repeated") };
  }
}
