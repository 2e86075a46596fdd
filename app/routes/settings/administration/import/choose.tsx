import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { keepCheckedFile } from "#app/domain/user/import/checked-file.server.ts";
import { decodeText } from "#app/domain/user/import/file.server.ts";
import { MAX_ROWS_ON_PAGE, readPageTable } from "#app/domain/user/import/preview.server.ts";
import { CSV_FIELDS } from "#app/domain/user/import/row.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { MAX_UPLOADED_FILE_BYTES, readUpload, type Upload } from "#app/http/upload.server.ts";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { describedBy } from "#app/ui/field.tsx";
import { FieldError, fieldErrorId } from "#app/ui/field-error.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { fileErrorText, ownerOf } from "./import.server.ts";

const PATH = "/manage/admin/people/import";
const PEOPLE_PATH = "/manage/admin/people";

/** Column that only the command imports: an administrator on a page never chooses the password of another person. */
const PASSWORD_COLUMN = "password_hash";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { xsrf } = await requireFreshAdministration(context, request, "import people");
  return respondWith(loadPage(context, request, xsrf));
}

/** Receives a table, keeps it for its check, and changes nothing. */
export async function action({ context, request }: ActionFunctionArgs) {
  // Before the body is read: it may be large.
  const administration = await requireFreshAdministration(context, request, "import people");
  const { access, xsrf } = administration;
  const upload = await readUpload(request);
  const { t } = await settingsTexts(context, request);
  if (!isOwnSettingsForm(context, access, upload.xsrf)) {
    return respondWith(loadPage(context, request, xsrf, { code: "xsrf", text: t("common.formExpired") }));
  }
  const read = readFile(upload, (error) => fileErrorText(t, error));
  if ("problem" in read) {
    const { problem, ...values } = read;
    const sentence = t(`adminImport.file.${problem}`, values);
    return respondWith(loadPage(context, request, xsrf, { code: "bad request", text: sentence }));
  }
  if ("sentence" in read) {
    return respondWith(loadPage(context, request, xsrf, { code: "bad request", text: read.sentence }));
  }
  const name = upload.name.replace(/[\p{C}\p{Z}]+/gu, " ").slice(-80);
  const token = await keepCheckedFile(administration.context, ownerOf(administration), { name, text: read.text });
  return redirect303(`${PATH}/${token}`);
}

type ReadFile =
  | { text: string }
  | { sentence: string }
  | { problem: "none" | "tooLarge" | "workbook" | "noTable" | "passwords" | "empty" }
  | { problem: "tooManyRows"; rows: number; most: number };

/** Returns the text of an uploaded table, or what is wrong with the file. */
function readFile({ bytes }: Upload, sentenceOf: (error: unknown) => string): ReadFile {
  if (bytes === null) return { problem: "none" };
  if (bytes.byteLength > MAX_UPLOADED_FILE_BYTES) return { problem: "tooLarge" };
  // A workbook of Excel is a ZIP archive.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return { problem: "workbook" };
  try {
    const text = decodeText(bytes, "utf-8");
    if (text.includes("\0")) return { problem: "noTable" };
    const { fields, records } = readPageTable(text);
    if (fields.includes(PASSWORD_COLUMN)) return { problem: "passwords" };
    if (records.length === 0) return { problem: "empty" };
    const [rows, most] = [records.length, MAX_ROWS_ON_PAGE];
    return rows > most ? { problem: "tooManyRows", rows, most } : { text };
  } catch (error) {
    return { sentence: sentenceOf(error) };
  }
}

type Refused = { code: "xsrf" | "bad request"; text: string };

async function loadPage(context: LoadContext, request: Request, xsrf: string, refused: Refused | null = null) {
  const { t } = await settingsTexts(context, request);
  const { searchParams } = new URL(request.url);
  const numberOf = (name: string) => /^\d{1,4}$/.exec(searchParams.get(name) ?? "")?.[0] ?? "0";
  return {
    status: refused === null ? 200 : refused.code === "xsrf" ? 403 : 400,
    title: pageTitle(t, t("adminImport.title"), refused !== null),
    state: { xsrf_token: xsrf, ...(refused ? { error: refused.code } : {}) },
    refused,
    fields: CSV_FIELDS.filter((name) => name !== PASSWORD_COLUMN).join(", "),
    done: searchParams.get("done"),
    counts: { added: Number(numberOf("added")), changed: Number(numberOf("changed")) },
  };
}

/** The page at /manage/admin/people/import: choose a table. */
export default function ChooseFile() {
  const { t } = useTranslation();
  const { state, refused, fields, done, counts } = usePage<typeof loader, typeof action>();
  const { added, changed } = counts;
  const words = {
    imported: t("adminImport.done.imported", { added, changed }),
    changed: t("adminImport.done.changed", { added, changed }),
    unfinished: t("adminImport.done.unfinished", { added, changed }),
    gone: t("adminImport.done.gone"),
  };
  return (
    <AdministrationPage
      title={t("adminImport.title")}
      lead={t("adminImport.lead")}
      parent={{ to: PEOPLE_PATH, text: t("admin.people") }}
      banner={<Banner done={done} words={words} close={PATH} />}
      error={refused ? { code: refused.code, problems: [{ text: refused.text, field: "file" }] } : null}
    >
      <form className="flow measure" method="post" encType="multipart/form-data" action={PATH}>
        <XsrfInput token={state.xsrf_token} />
        <div className="field pair">
          <label htmlFor="file">{t("adminImport.choose")}</label>
          <p className="field-hint" id="file-hint">
            {t("adminImport.chooseHint")}
          </p>
          <FieldError field="file" text={refused?.text} />
          <input
            className="input"
            id="file"
            name="file"
            type="file"
            accept=".csv,text/csv"
            required
            {...(refused ? { "aria-invalid": true } : {})}
            aria-describedby={describedBy(["file-hint", refused ? fieldErrorId("file") : undefined])}
          />
        </div>
        <div className="actions natural">
          <Submit>{t("adminImport.check")}</Submit>
          <ButtonLink quiet href={PEOPLE_PATH}>
            {t("common.cancel")}
          </ButtonLink>
        </div>
      </form>
      <section aria-labelledby="columns" className="pair">
        <h2 id="columns">{t("adminImport.columns")}</h2>
        <p>{t("adminImport.columnsLead")}</p>
        <p translate="no">{fields}</p>
      </section>
    </AdministrationPage>
  );
}
