import de from "#locales/de/errors.json" with { type: "json" };
import en from "#locales/en/errors.json" with { type: "json" };

type Text = { title: string; description: string };

/** What the page shows; `status` and `code` choose the text. */
type FallbackDetails = { status: number; code: string; requestId: string; issuer: string };

/**
 * An error page that needs nothing but this function: for when the pages themselves fail, or cannot be styled because
 * their files have another host. In both languages, since nothing has found out which one is wanted.
 */
export function fallbackPage(facts: FallbackDetails): string {
  const [english, german] = [textOf(en.serverError, facts), textOf(de.serverError, facts)];
  // The issuer is the administrator's and the reference our own: the only values in the page, and neither is a visitor's.
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${english.title}</title>
</head>
<body>
<main>
<h1>${english.title}</h1>
<p>${english.description}</p>
<div lang="de">
<h2>${german.title}</h2>
<p>${german.description}</p>
</div>
<p><a href="${facts.issuer}/">${facts.issuer}</a></p>
<p><code>${facts.requestId}</code></p>
</main>
</body>
</html>
`;
}

function textOf(texts: typeof en.serverError, { status, code }: FallbackDetails): Text {
  if (code === "origin") return texts.origin;
  if (status === 503) return texts.overload;
  if (status === 400 || status === 413 || status === 421) return texts[status];
  return status >= 500 ? texts["500"] : texts.unknown;
}
