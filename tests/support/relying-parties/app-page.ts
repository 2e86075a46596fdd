/** Content of an application's page; each part has an id. */
type AppPage = {
  title: string;
  /** Values as JSON, in `<pre id="…">`. */
  details?: Readonly<Record<string, unknown>>;
  /** URL of each link by its text. */
  links?: Readonly<Record<string, string>>;
  /** Form action of each button by its text. */
  buttons?: Readonly<Record<string, string>>;
};

/** Renders a plain page without scripts and styles. */
export function appPage({ title, details = {}, links = {}, buttons = {} }: AppPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title><link rel="icon" href="data:,"></head>
<body>
<h1>${escapeHtml(title)}</h1>
${list(details, (name, value) => `<pre id="${escapeHtml(name)}">${escapeHtml(JSON.stringify(value))}</pre>`)}
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
