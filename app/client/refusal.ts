import type { Answer } from "./json-post.ts";
import { pageText } from "./page-text.ts";
import type { Problem } from "./problem.ts";

type Refused = Extract<Answer, { kind: "refused" }>;

/** Returns the problem for responses common to codes and keys: 401 and 429. Null for all others. */
export function commonProblem({ status, code, waitMinutes }: Refused): Problem | null {
  if (status === 401) return { code: "unauthorized", text: pageText("expired"), needsRestart: true };
  if (status !== 429) return null;
  return { code, text: pageText(waitMinutes === 1 ? "throttled-one" : "throttled-other", waitMinutes) };
}
