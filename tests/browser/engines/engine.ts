import type { Language } from "#app/i18n/language.ts";
import type { TestServer } from "#tests/support/server.ts";
import type { Browser } from "./web-driver.ts";

export type EngineOptions = {
  language: Language;
  javaScript?: boolean;
  /** Width of the viewport. */
  width?: number;
};

export type RunningBrowser = Browser & { close(): Promise<void> };

export type Engine<Running extends RunningBrowser = RunningBrowser> = {
  name: string;
  start(options: EngineOptions): Promise<Running>;
  /** Runs after the journey, for checks of this engine. */
  lookBack?(browser: Running, server: Pick<TestServer, "url">): Promise<void>;
};

/** The browser's locale for each language. */
export const LOCALES = { en: "en-GB", de: "de-DE" } as const satisfies Record<Language, string>;
