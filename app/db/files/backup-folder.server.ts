import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A copy in the folder of copies. */
export type CopyFile = { file: string; madeAt: Date };

/** gatehouse-20260302T013000Z.sqlite, and what a migration adds to the name. */
const NAME = /^gatehouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(-before-[\w-]+)?\.sqlite$/;

/** How the names of all our copies begin. */
export const COPY_NAME_BEGINS = "gatehouse-";

/** The name of a copy that is made now. `reason`: letters, digits, `_` and `-`. */
export function copyNameAt(moment: Date, reason?: string): string {
  const time = moment.toISOString().replace(/[-:]|\.\d+/g, "");
  return `${COPY_NAME_BEGINS}${time}${reason ? `-${reason}` : ""}.sqlite`;
}

/** The copies in this folder that were made under their own names, the newest first; none where it cannot be read. */
export function listCopies(folder: string): CopyFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      if (year === undefined) return [];
      const madeAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ file: join(folder, name), madeAt }];
    })
    .sort((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Making the next copy there will say what is wrong.
    return [];
  }
}

/** When the newest copy in this folder was made; null without one. */
export function newestCopyAt(folder: string): Date | null {
  return listCopies(folder)[0]?.madeAt ?? null;
}

/** Removes all copies but the newest `keep`. Answers what was removed. */
export function removeOldCopies(folder: string, { keep }: { keep: number }): string[] {
  const old = listCopies(folder).slice(keep);
  for (const { file } of old) {
    rmSync(`${file}.json`, { force: true });
    rmSync(file, { force: true });
  }
  return old.map(({ file }) => file);
}
