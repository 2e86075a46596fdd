import type { ReactNode } from "react";
import { TEXT } from "#app/client/attributes.ts";

/**
 * Texts for the client script, as one `<template>` per name. The parser moves the content of a template into a fragment
 * that React does not compare, hence `suppressHydrationWarning`.
 */
export function ScriptTexts({ texts }: { texts: Readonly<Record<string, string>> }): ReactNode {
  return Object.entries(texts).map(([name, text]) => (
    <template key={name} suppressHydrationWarning {...{ [TEXT]: name }}>
      {text}
    </template>
  ));
}
