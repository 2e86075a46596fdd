import type { ParseKeys } from "i18next";
import type { Visit } from "./page-setup.ts";

/** A page in one state: how to reach it, and its status and title. */
export type PageState<Where extends Visit = Visit> = {
  name: string;
  /** Status of the response. */
  status: number;
  /** Status if the script shows the state in the page: that of the response that loaded the page. */
  scriptedStatus?: number;
  /** Key of the title; null: the name of the user. With `problem`, the title begins with "Error:". */
  title: ParseKeys | null;
  problem?: boolean;
  /** Uses a browser of its own, because a virtual security key stays with the page. */
  ownBrowser?: boolean;
  reach(visit: Where): Promise<void>;
};

type Reach<Where extends Visit> = PageState<Where>["reach"];

/** A state without an error, with status 200. */
export function page<Where extends Visit>(
  name: string,
  title: ParseKeys | null,
  reach: Reach<Where>,
): PageState<Where> {
  return { name, status: 200, title, reach };
}

/** A state with an error. */
export function problem<Where extends Visit>(
  name: string,
  status: number,
  title: ParseKeys,
  reach: Reach<Where>,
): PageState<Where> {
  return { name, status, title, problem: true, reach };
}
