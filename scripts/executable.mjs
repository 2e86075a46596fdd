// @ts-check
import { accessSync, constants } from "node:fs";

/**
 * Returns true if the file exists and is executable.
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
