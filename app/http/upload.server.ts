import { refusal } from "./refusal.server.ts";

/** The one URL at which files are uploaded: the import of people. */
export const UPLOAD_PATH = "/manage/admin/people/import";

/** Maximum size of an uploaded file. */
export const MAX_UPLOADED_FILE_BYTES = 2 * 1024 * 1024;

/** A form with a file. `bytes`: null if no file was chosen. */
export type Upload = { xsrf: string; name: string; bytes: Uint8Array | null };

/**
 * Reads a form with the fields `_xsrf` and `file`. The middleware has limited the size of its body. Throws a Response
 * 405 for another method than POST, 415 for anything but multipart/form-data, and 400 for another or a repeated field.
 */
export async function readUpload(request: Request): Promise<Upload> {
  if (request.method !== "POST") throw refusal(405, "bad request", { Allow: "POST" });
  if (!/^multipart\/form-data;/i.test(request.headers.get("content-type") ?? "")) throw refusal(415, "bad request");
  const form = await request.formData().catch(() => {
    throw refusal(400, "bad request");
  });
  const names = [...form.keys()];
  if (names.length !== 2 || new Set(names).size !== 2) throw refusal(400, "bad request");
  const [xsrf, file] = [form.get("_xsrf"), form.get("file")];
  if (typeof xsrf !== "string" || !(file instanceof Blob)) throw refusal(400, "bad request");
  const bytes = file.size === 0 ? null : new Uint8Array(await file.arrayBuffer());
  const name = "name" in file && typeof file.name === "string" ? file.name : "";
  return { xsrf, name, bytes };
}
