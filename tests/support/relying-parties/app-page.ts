/** What an application's page shows; each part can be found by its id. */
export type AppPage = {
  title: string;
  /** Facts as JSON, in `<pre id="…">`. */
  facts?: Readonly<Record<string, unknown>>;
  /** Text of each link, and where it leads. */
  links?: Readonly<Record<string, string>>;
  /** Text of each button, and where its form posts to. */
  buttons?: Readonly<Record<string, string>>;
};

/** A plain page of an application: no scripts, no styles, nothing that is not said. */
export function appPage({ title, facts = {}, links = {}, buttons = {} }: AppPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title><link rel="icon" href="data:,"></head>
<body>
<h1>${escapeHtml(title)}</h1>
${list(facts, (name, value) => `<pre id="${escapeHtml(name)}">${escapeHtml(JSON.stringify(value))}</pre>`)}
${list(links, (text, href) => `<p><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>`)}
${list(buttons, (text, to) => `<form method="post" action="${escapeHtml(to)}"><button>${escapeHtml(text)}</button></form>`)}
</body>
</html>
`;
}

function list<Value>(values: Readonly<Record<string, Value>>, show: (name: string, value: Value) => string) {
  return Object.entries(values)
    .map(([name, value]) => show(name, value))
    .join("\n");
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
