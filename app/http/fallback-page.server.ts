import de from "#locales/de/errors.json" with { type: "json" };
import en from "#locales/en/errors.json" with { type: "json" };

type Text = { title: string; description: string };

/** `status` and `code` select the text. */
type FallbackDetails = { status: number; code: string; requestId: string; issuer: string };

/**
 * Renders an error page without styles or other dependencies: for failures of the pages themselves, or when their files
 * are on another host. In both languages, because none is detected.
 */
export function fallbackPage(details: FallbackDetails): string {
  const [english, german] = [textOf(en.serverError, details), textOf(de.serverError, details)];
  // Not escaped: the administrator sets the issuer, and the request id is generated here.
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
<p><a href="${details.issuer}/">${details.issuer}</a></p>
<p><code>${details.requestId}</code></p>
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
