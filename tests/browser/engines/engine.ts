import type { Language } from "#app/i18n/language.ts";
import type { TestServer } from "#tests/support/server.ts";
import type { Browser } from "./web-driver.ts";

export type EngineOptions = {
  language: Language;
  javaScript?: boolean;
  /** Of the part of the window that shows the page. */
  width?: number;
};

/** A browser that runs. */
export type RunningBrowser = Browser & { close(): Promise<void> };

export type Engine<Running extends RunningBrowser = RunningBrowser> = {
  name: string;
  start(options: EngineOptions): Promise<Running>;
  /** What is looked at when a person is done. */
  lookBack?(browser: Running, server: Pick<TestServer, "url">): Promise<void>;
};

/** What the browser tells that its person reads. */
export const LOCALES = { en: "en-GB", de: "de-DE" } as const satisfies Record<Language, string>;
