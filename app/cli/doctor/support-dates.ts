/** Days for which a release of Gatehouse gets security updates (decision 074). */
export const RELEASE_SUPPORT_DAYS = 365;

/** Last days of support by major version of Node: https://github.com/nodejs/release#release-schedule */
export const NODE_SUPPORT_ENDS: Readonly<Record<string, string>> = {
  22: "2027-04-30",
  23: "2025-06-01",
  24: "2028-04-30",
  25: "2026-06-01",
  26: "2029-04-30",
};
