// @ts-check
import { accessSync, constants } from "node:fs";

/**
 * Whether a program is there and may be run.
 *
 * @param {string} path
 */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
