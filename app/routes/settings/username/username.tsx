import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { changeUsername } from "#app/domain/username/change.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, throttledProblem } from "#app/routes/settings/change.server.ts";
import { SettingsPage, useDocumentState } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import type { UsernameError } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadUsernamePage, type UsernamePage } from "./username.server.ts";

const PATH = "/manage/credentials/username";

const schema = z.object({ _xsrf: z.string().default(""), username: z.string().default("") });

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const page = await loadUsernamePage(context, request, settings);
  return data(page, page.status);
}

/** Changes the user name. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf", "username"]);
  const { _xsrf, username: typed } = schema.parse(form.ok ? form.value : form.values);
  const reject = async (
    problem: { error: UsernameError; waitMinutes?: number },
    headers: Record<string, string> = {},
  ) => {
    const page = await loadUsernamePage(context, request, settings, { ...problem, typed });
    return data(page, { status: page.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return reject({ error: "xsrf" });
  if (!form.ok) return reject({ error: "Could not parse request" });
  const outcome = await changeUsername(context, settings.access, { ...requestMetadata(context), username: typed });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303("/manage?status=username-success");
    case "refused":
      return reject({ error: outcome.code });
    case "throttled":
      return reject(...throttledProblem(outcome));
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

/** Sends `Retry-After` of a throttled attempt. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

/** The page at /manage/credentials/username. */
export default function ChangeUsername() {
  const { t } = useTranslation();
  const loaded = useLoaderData<typeof loader>();
  const page: UsernamePage | null = useDocumentState(useActionData<typeof action>() ?? loaded);
  if (!page) return null;
  const { error, username, xsrf_token } = page.state;
  const problem = error ? usernameProblem(t, error, page.waitMinutes) : null;
  return (
    <SettingsPage
      title={t("manageUsername.heading")}
      lead={<Emphasis text={t("manageUsername.current", { username })} part={username} />}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={error && problem ? <ErrorSummary code={error} quote={problem.quote} problems={[problem]} /> : null}
      tone={error ? "error" : "normal"}
    >
      <form className="flow" method="post" action={PATH} noValidate>
        <XsrfInput token={xsrf_token} />
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("manageUsername.label")}
          hint={t("manageUsername.hint")}
          error={problem?.field ? problem.text : undefined}
          input={{
            type: "text",
            autoComplete: "username",
            autoCapitalize: "none",
            autoCorrect: "off",
            spellCheck: false,
            enterKeyHint: "done",
            defaultValue: page.typed,
            required: true,
          }}
        />
        <p className="note">{t("manageUsername.others")}</p>
        <div className="actions">
          <Submit busy={t("managePassword.saving")}>{t("manageUsername.submit")}</Submit>
          <ButtonLink href="/manage" quiet>
            {t("manageUsername.abort")}
          </ButtonLink>
        </div>
      </form>
    </SettingsPage>
  );
}

const USERNAME_FIELD = "username";

type FormProblem = { quote?: string; text: string; field?: string };

/** Returns the texts of an error, and the field that it concerns. */
function usernameProblem(t: TFunction, error: UsernameError, waitMinutes = 1): FormProblem {
  const field = USERNAME_FIELD;
  switch (error) {
    case "username is empty":
      return { quote: t("manageUsername.quote.empty"), text: t("manageUsername.error.empty"), field };
    case "username is invalid":
      return { quote: t("manageUsername.quote.invalid"), text: t("manageUsername.error.invalid"), field };
    case "username not available":
      return { quote: t("manageUsername.quote.taken"), text: t("manageUsername.error.taken"), field };
    case "Could not parse request":
      return { quote: t("managePassword.quote.parse"), text: t("manageUsername.error.parse") };
    case "throttled":
      return { text: t("managePassword.error.tooMany", { count: waitMinutes }) };
    case "xsrf":
      return { text: t("manageUsername.error.formExpired") };
  }
}
