import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { isProvider, PROVIDER_NAMES } from "#app/config/providers.ts";
import { findFactorRemoval, type RemovableMethod, removeMethod } from "#app/domain/person/remove-factor.server.ts";
import { findPersonMethods } from "#app/domain/person/show.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { exactTimeText } from "#app/i18n/time-texts.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import {
  type Change,
  type ChangeRule,
  changePage,
  openChange,
  postChange,
  type Refused,
  showChange,
} from "./change.server.ts";
import { ChangeFrame } from "./change-page.tsx";
import { endedAccess } from "./ended-access.server.ts";

const RULE = { permission: "edit people", isFresh: true } as const satisfies ChangeRule;

const removalForm = defineForm({});

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await removalPage(await openChange(args, RULE), args.params.factor ?? ""));
}

/** Removes the sign-in method that the URL names: `totp`, `key-{id}`, or `provider-{provider}`. */
export async function action(args: ActionFunctionArgs) {
  const factor = args.params.factor ?? "";
  const method = methodOf(factor);
  if (!method) throw refusal(404, "page_not_found");
  return postChange(args, RULE, {
    form: removalForm,
    run: ({ context, ref }) => removeMethod(context, ref, method),
    page: (change, refused) => removalPage(change, factor, refused),
    done: "method-removed",
  });
}

function methodOf(factor: string): RemovableMethod | null {
  if (factor === "totp") return { kind: "totp" };
  const [, kind, id = ""] = /^(key|provider)-([\w-]+)$/.exec(factor) ?? [];
  if (kind === "key") return { kind, id };
  return kind === "provider" && isProvider(id) ? { kind, provider: id } : null;
}

async function removalPage(change: Change, factor: string, refused?: Refused) {
  const { t } = change.texts;
  const method = methodOf(factor);
  const name = await nameOf(change, method);
  const refusedUntil = method && (await findFactorRemoval(change.context, change.user, method)).refusedUntil;
  const texts = {
    heading: t("adminChange.factor.heading"),
    submit: t("adminChange.factor.submit"),
    isDangerous: true,
    ...(refusedUntil ? { refusal: refusalOf(change, refusedUntil) } : {}),
    sections: [
      {
        id: "then",
        heading: t("adminChange.then"),
        rows: [{ label: name, lines: [t("adminChange.factor.removed")] }, ...(await endedAccess(change))],
      },
    ],
  };
  return changePage(change, `factors/${factor}`, texts, { fields: {}, refused });
}

function refusalOf({ user, texts }: Change, until: Date): string {
  return texts.t("adminChange.factor.hadPassword", { name: user.displayName, until: exactTimeText(until, texts) });
}

/** Returns the name of a sign-in method. Throws a Response 404 if the person does not have it. */
async function nameOf({ context, user, texts: { t } }: Change, method: RemovableMethod | null): Promise<string> {
  const { totp, keys, accounts } = await findPersonMethods(context, user.id);
  if (method?.kind === "totp" && totp) return t("adminPerson.totp");
  const key = method?.kind === "key" ? keys.find(({ id }) => id === method.id) : undefined;
  if (key) return key.name;
  const account =
    method?.kind === "provider" ? accounts.find(({ provider }) => provider === method.provider) : undefined;
  if (account) return PROVIDER_NAMES[account.provider];
  throw refusal(404, "page_not_found");
}

/** The page at /manage/admin/people/{id}/factors/{factor}. */
export default function RemoveFactor() {
  return <ChangeFrame page={usePage<typeof loader, typeof action>()} />;
}
