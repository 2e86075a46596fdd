import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Permission } from "#app/domain/administration/administrator.ts";
import { findPerson } from "#app/domain/administration/person.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { PersonChange } from "#app/domain/person/change.server.ts";
import { findPersonGroups } from "#app/domain/person/show.server.ts";
import { requireAdministration, requireFreshAdministration } from "#app/http/administration.server.ts";
import { firstError } from "#app/http/define-form.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { settingsState, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import type { SectionTexts } from "./rows.tsx";

/** Path of a person's page. */
export function personPath(id: string): string {
  return `/manage/admin/people/${id}`;
}

/** `isFresh`: the change gives access, and needs a proof of identity of the last ten minutes. */
export type ChangeRule = { permission: Permission; isFresh?: boolean };

/** Guard of the pages and actions that change a person: 404 for whom the administrator does not cover, or may not change. */
export async function openChange(
  { context, request, params }: LoaderFunctionArgs,
  { permission, isFresh = false }: ChangeRule,
) {
  const guard = isFresh ? requireFreshAdministration : requireAdministration;
  const administration = await guard(context, request, permission);
  const { administrator } = administration;
  const person = await findPerson(context.store, administrator, params.id ?? "");
  if (!person?.mayChange) throw refusal(404, "page_not_found");
  const { user, granted } = person;
  const groups = await findPersonGroups(context, user);
  const ref = { administrator, id: user.id };
  return { ...administration, user, granted, groups, ref, texts: await timeTexts(context, request) };
}

/** An administrator on a page that changes a person. */
export type Change = Awaited<ReturnType<typeof openChange>>;

/**
 * Texts of a page that changes a person. `isDangerous`: its button is red. `refusal`: why the change is not possible now,
 * in place of the form.
 */
export type ChangeTexts = {
  heading: string;
  submit: string;
  isDangerous?: boolean;
  refusal?: string;
  sections: readonly SectionTexts[];
};

/** `values`: what was typed into a refused form, by field; `invalid`: the fields that the domain refused. */
export type Refused = {
  error: ErrorCode;
  values: Readonly<Record<string, string>>;
  invalid: readonly string[];
};

/** Data of a page that changes a person; `office`: name of the home group; `invalid`: fields of a refused form. */
export type ChangePage<Fields = unknown> = PageView<
  SettingsFormState,
  ChangeTexts & {
    url: string;
    parent: string;
    name: string;
    office: string | null;
    fields: Fields;
    invalid: readonly string[];
  }
>;

/** Returns the page of a change, with the error of a refused form. */
export async function changePage<Fields>(
  change: Change,
  url: string,
  texts: ChangeTexts,
  { fields, refused }: { fields: Fields; refused?: Refused | undefined },
): Promise<ChangePage<Fields>> {
  const { user, groups } = change;
  const error = refused?.error;
  return {
    status: htmlStatus(error),
    title: pageTitle(change.texts.t, texts.heading, error !== undefined),
    state: { ...(await settingsState(change.context, change)), ...(error ? { error } : {}) },
    ...texts,
    url: `${personPath(user.id)}/${url}`,
    parent: personPath(user.id),
    name: user.displayName,
    office: groups.office?.name ?? null,
    fields,
    invalid: refused?.invalid ?? [],
  };
}

type PostedChange<Schema extends z.ZodObject, Page extends ChangePage> = {
  form: { schema: Schema; fieldNames: readonly string[] };
  /** Makes the change. */
  run(change: Change, value: z.output<Schema>): Promise<PersonChange>;
  /** Returns the page again, with an error. */
  page(change: Change, refused: Refused): Promise<Page>;
  /** Value of `done` in the URL of the person's page, to which a change leads. */
  done: string;
  /** URL to which the change leads in place of the person's page. */
  to?: string;
};

/** Handles the form of a change: checks its token, makes the change, and leads to the person's page. */
export async function postChange<Schema extends z.ZodObject, Page extends ChangePage>(
  args: ActionFunctionArgs,
  rule: ChangeRule,
  { form, run, page, done, to }: PostedChange<Schema, Page>,
) {
  const change = await openChange(args, rule);
  const { submission, posted } = await readSubmission(args.request, form);
  const reject = async (error: ErrorCode, invalid: readonly string[] = []) => {
    const names = form.fieldNames.filter((name) => name !== "_xsrf");
    const values = Object.fromEntries(names.map((name) => [name, posted(name)]));
    return respondWith(page(change, { error, values, invalid }));
  };
  if (!isOwnSettingsForm(change.context, change.access, posted("_xsrf"))) return reject("xsrf");
  if (submission.status !== "success") return reject(firstError(submission.reply()) ?? "bad request");
  const outcome = await run(change, submission.value);
  switch (outcome.kind) {
    case "done":
      return redirect303(`${to ?? personPath(change.user.id)}?done=${done}`);
    case "refused":
      return reject(outcome.code, outcome.fields);
    default:
      // Another administrator has moved, promoted or removed the person, or this one has lost the role.
      throw refusal(404, "page_not_found");
  }
}

/** Responds with a page of a change. */
export function showChange<Page extends ChangePage>(page: Page) {
  return data(page, { status: page.status });
}
