/** The first page of the settings. */
export const SETTINGS_PATH = "/manage";

/** Names in a path of ours: no dot, so none that leads up; nothing that would have to be decoded. */
const PATH = /^\/manage(?:\/[A-Za-z0-9_-]+){0,6}$/;

const MAX_LENGTH = 300;

/** Pages of the settings that nobody is sent to after a sign-in: they lead to one, or are about none. */
const DOORS = /^\/manage\/(?:open|opening|confirm|error)(?:\/|$)/;

/** The page of the settings that an address asks for; anything else is the first one. Without query or fragment. */
export function settingsPath(asked: string | null): string {
  const isOne = asked !== null && asked.length <= MAX_LENGTH && PATH.test(asked) && !DOORS.test(asked);
  return isOne ? asked : SETTINGS_PATH;
}
