import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DomainError } from "#app/domain/base/errors.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { consumeCheckedFile, findCheckedFile } from "#app/domain/user/import/checked-file.server.ts";
import { type ImportPreview, previewImport } from "#app/domain/user/import/preview.server.ts";
import { SECOND_MS } from "#app/durations.ts";
import { type Administration, requireFreshAdministration } from "#app/http/administration.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { NumberedPages } from "#app/routes/settings/administration/numbered-pages.tsx";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { pageNumberOf } from "#app/routes/settings/administration/page-number.server.ts";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { type CheckedRow, listsOf, verbsOf } from "./check.server.ts";
import { ownerOf } from "./import.server.ts";

const PATH = "/manage/admin/people/import";

/** Milliseconds after which an import ends with the present rows: proxies wait 60 s for a response (deploy/). */
const IMPORT_MS = 40 * SECOND_MS;

/** `seen`: fingerprint of what the page showed. */
const importForm = defineForm({ seen: text() });

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "import people");
  const token = params["file"] ?? "";
  const found = await requirePreview(administration, token);
  return respondWith(loadPage(administration, request, { token, ...found }));
}

/**
 * Imports exactly what the page showed, once; shows the page again if the database has changed since. Ends early, with
 * the rows so far, if another change prevents a row or the time is over.
 */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "import people");
  const token = params["file"] ?? "";
  const { _xsrf, seen } = await readForm(request, importForm);
  const found = await requirePreview(administration, token);
  const { rows, counts, seen: current } = found.preview;
  const reject = (error: "xsrf" | "changed") =>
    respondWith(loadPage(administration, request, { token, ...found, error }));
  if (!isOwnSettingsForm(context, administration.access, _xsrf)) return reject("xsrf");
  if (seen !== current) return reject("changed");
  if (!(await consumeCheckedFile(administration.context, token))) return redirect303(`${PATH}?done=gone`);
  let finished = 0;
  const onProgress = (done: number) => {
    finished = done;
  };
  const endsAt = context.clock.now().getTime() + IMPORT_MS;
  const isStopped = () => context.clock.now().getTime() >= endsAt;
  const redirectUnfinished = (done: "changed" | "unfinished") => {
    const count = (action: string) => String(rows.slice(0, finished).filter((row) => row.action === action).length);
    return redirect303(`${PATH}?${new URLSearchParams({ done, added: count("add"), changed: count("update") })}`);
  };
  try {
    const { stoppedAfter } = await applyImport(administration.context, rows, { onProgress, isStopped });
    if (stoppedAfter !== null) return redirectUnfinished("unfinished");
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return redirectUnfinished("changed");
  }
  const added = String(counts.invited + counts.added);
  return redirect303(`${PATH}?${new URLSearchParams({ done: "imported", added, changed: String(counts.changed) })}`);
}

type Found = { name: string; preview: ImportPreview };

/** Returns the file of this token and what its import would do. Throws a redirect if the file is gone. */
async function requirePreview(administration: Administration, token: string): Promise<Found> {
  const { context, administrator } = administration;
  const file = await findCheckedFile(context, ownerOf(administration), token);
  if (!file) throw redirect303(`${PATH}?done=gone`);
  return { name: file.name, preview: await previewImport(context, file.text, administrator) };
}

async function loadPage(
  { context, xsrf }: Administration,
  request: Request,
  { token, name, preview, error }: Found & { token: string; error?: "xsrf" | "changed" },
) {
  const { t, language } = await settingsTexts(context, request);
  const verbs = verbsOf(t, language, preview.counts);
  return {
    status: error === undefined ? 200 : error === "xsrf" ? 403 : 400,
    title: pageTitle(t, t("adminImport.checkTitle"), error !== undefined),
    state: { xsrf_token: xsrf, ...(error ? { error } : {}) },
    ...{ path: `${PATH}/${token}`, name, error, verbs, seen: preview.seen, unchanged: preview.counts.unchanged },
    rowsInFile: preview.table.records.length,
    importable: preview.rows.length,
    wrongRows: new Set(preview.problems.map(({ line }) => line)).size,
    errorCount: preview.problems.length,
    lists: listsOf(t, preview, pageNumberOf(request)),
  };
}

/** The page at /manage/admin/people/import/:file: what happens to each row, and the button. */
export default function CheckFile() {
  const { t } = useTranslation();
  const page = usePage<typeof loader, typeof action>();
  const { path, name, error, verbs, seen, unchanged, rowsInFile, importable, wrongRows, errorCount, lists } = page;
  const text = error === "xsrf" ? t("common.formExpired") : t("adminImport.changed");
  return (
    <AdministrationPage
      title={t("adminImport.checkTitle")}
      lead={t("adminImport.checkLead", { name, count: rowsInFile })}
      parent={{ to: "/manage/admin/people", text: t("admin.people") }}
      error={error ? { code: error, problems: [{ text }] } : null}
    >
      {wrongRows === 0 ? null : (
        <Alert kind="attention" code="rows" word={t("adminImport.wrongRows", { count: wrongRows })}>
          <p>{t("adminImport.others", { count: importable })}</p>
          <a className="line-link" href={`${path}/errors`}>
            {t("adminImport.download")}
          </a>
        </Alert>
      )}
      {errorCount === 0 ? null : (
        <RowList
          id="errors"
          heading={t("adminImport.errors", { count: errorCount })}
          head={t("adminImport.wrong")}
          rows={lists.errors}
          areErrors
        />
      )}
      {lists.moreErrors === 0 ? null : <p>{t("adminImport.moreErrors", { count: lists.moreErrors })}</p>}
      {lists.total === 0 ? null : (
        <RowList id="good" heading={verbs} head={t("adminImport.happens")} rows={lists.shown} />
      )}
      <NumberedPages
        page={lists.page}
        pages={lists.pages}
        urlOf={(number) => `${path}?page=${number}#good`}
        summary={t("adminImport.rows", { count: lists.total })}
      />
      {unchanged === 0 ? null : <p>{t("adminImport.unchanged", { count: unchanged })}</p>}
      <form className="actions natural" method="post" action={path}>
        <XsrfInput token={page.state.xsrf_token} />
        <input type="hidden" name="seen" value={seen} />
        {verbs === "" ? null : <Submit>{verbs}</Submit>}
        <ButtonLink quiet href={PATH}>
          {t("adminImport.otherFile")}
        </ButtonLink>
      </form>
    </AdministrationPage>
  );
}

type RowListProps = {
  id: string;
  heading: string;
  head: string;
  rows: readonly CheckedRow[];
  areErrors?: boolean;
};

function RowList({ id, heading, head, rows, areErrors = false }: RowListProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{heading}</h2>
      </div>
      <table className="list" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{t("adminImport.name")}</th>
            <th scope="col" className="number">
              {t("adminImport.line")}
            </th>
            <th scope="col" className="what">
              {head}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, line, name, below, what, details }) => (
            <tr key={key} className={areErrors ? "full" : undefined}>
              <th scope="row">
                <b translate="no">{name}</b>
                {below ? <small>{below}</small> : null}
              </th>
              <td className="number" data-name={t("adminImport.line")}>
                {line}
              </td>
              <td className="what">
                {areErrors ? <span className="word">{what}</span> : what}
                {details ? <small translate={areErrors ? "no" : undefined}>{details}</small> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
