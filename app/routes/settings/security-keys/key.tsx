import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { removeOwnKey, renameOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed } from "#app/routes/settings/change.server.ts";
import { SettingsPage, useDocumentState } from "#app/routes/settings/page.tsx";
import { LastFactorNotice, SecurityKeyDescription } from "#app/routes/settings/second-factors.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import type { OwnKeyError } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadSecurityKeyPage, type SecurityKeyPage } from "./key.server.ts";

const FACTORS_PATH = "/manage/mfa";
const FIELDS = ["_xsrf", "intent", "name"];

const schema = z.object({
  _xsrf: z.string().default(""),
  intent: z.string().default(""),
  name: z.string().default(""),
});

/** The name of a security key. The JSON call that registers a key has the same limits. */
const nameSchema = z.string().trim().min(1).max(64);

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const page = await loadSecurityKeyPage(context, request, settings, { id: params.id ?? "" });
  if (!page) throw refusal(404, "page_not_found");
  return data(page, page.status);
}

/** Renames or removes the security key. Redirects to the second factors when the key does not exist any more. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const id = params.id ?? "";
  const form = await readForm(request, schema, FIELDS);
  const { _xsrf, intent, name: typedName } = schema.parse(form.ok ? form.value : form.values);
  const reject = async (error: OwnKeyError) => {
    const page = await loadSecurityKeyPage(context, request, settings, { id, problem: { error, typedName } });
    return page ? data(page, page.status) : redirect303(FACTORS_PATH);
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return reject("xsrf");
  const name = nameSchema.safeParse(typedName);
  if (intent !== "remove" && !name.success) return reject("bad request");
  const outcome =
    intent === "remove"
      ? await removeOwnKey(context, settings.access, { ...requestMetadata(context), id })
      : await renameOwnKey(context, settings.access, { id, name: name.data ?? "" });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303(`${FACTORS_PATH}?status=${intent === "remove" ? "factor-removed" : "key-renamed"}`);
    case "security key not found":
      return redirect303(FACTORS_PATH);
    default:
      return redirectNotAllowed(outcome, pathOf(encodeURIComponent(id)));
  }
}

/** The page at /manage/mfa/keys/{id}, with forms that rename and remove the security key. */
export default function SecurityKey() {
  const { t } = useTranslation();
  const loaded = useLoaderData<typeof loader>();
  const page: SecurityKeyPage | null = useDocumentState(useActionData<typeof action>() ?? loaded);
  if (!page) return null;
  const { state, securityKey, typedName, isLastFactor } = page;
  const { error } = state;
  const problem = error ? nameProblem(t, error, typedName) : null;
  return (
    <SettingsPage
      title={t("manageKey.title")}
      lead={
        <>
          <b className="key-name" translate="no">
            {securityKey.name}
          </b>
          <br />
          <SecurityKeyDescription {...securityKey} />
        </>
      }
      back={{ to: FACTORS_PATH, text: t("manageMfa.back") }}
      before={error && problem ? <ErrorSummary code={error} problems={[problem]} /> : null}
      tone={error ? "error" : "normal"}
    >
      <form className="flow flow-close" method="post" action={pathOf(securityKey.id)} noValidate>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="intent" value="rename" />
        <Field
          id={NAME_FIELD}
          name="name"
          label={t("manageKey.name.label")}
          hint={t("manageKey.name.hint")}
          error={problem?.field ? problem.text : undefined}
          input={{
            type: "text",
            autoCapitalize: "sentences",
            enterKeyHint: "done",
            defaultValue: typedName ?? securityKey.name,
            required: true,
          }}
        />
        <div className="actions">
          <Submit>{t("manageKey.save")}</Submit>
        </div>
      </form>
      <RemovalForm id={securityKey.id} xsrf={state.xsrf_token} isLastFactor={isLastFactor} />
    </SettingsPage>
  );
}

const NAME_FIELD = "key-name";

type RemovalFormProps = { id: string; xsrf: string; isLastFactor: boolean };

function RemovalForm({ id, xsrf, isLastFactor }: RemovalFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="flow flow-close aside" aria-labelledby="removal">
      <div className="pair">
        <h2 id="removal">{t("manageKey.remove.heading")}</h2>
        <p className="lead">
          {t("manageKey.remove.description")} {t("manageFactor.others")}
        </p>
      </div>
      {isLastFactor ? <LastFactorNotice /> : null}
      <form className="actions" method="post" action={pathOf(id)}>
        <XsrfInput token={xsrf} />
        <input type="hidden" name="intent" value="remove" />
        <Submit danger>{t("manageKey.remove.submit")}</Submit>
      </form>
    </section>
  );
}

function nameProblem(t: TFunction, error: OwnKeyError, typedName: string | null): Problem {
  if (error === "xsrf") return { text: t("common.formExpired") };
  const isEmpty = (typedName ?? "").trim() === "";
  return { text: t(isEmpty ? "manageKey.error.empty" : "manageKey.error.tooLong"), field: NAME_FIELD };
}

function pathOf(id: string): string {
  return `/manage/mfa/keys/${id}`;
}
