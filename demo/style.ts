/** Style sheet of the application, in the colours of the provider's pages. */
export const STYLE = `:root {
  color-scheme: light dark;
  --paper: #f6f5f1;
  --card: #ffffff;
  --ink: #17231f;
  --muted: #51605a;
  --hairline: #d5d9d3;
  --brand: #0f5c4d;
  --brand-hover: #0b4539;
  --on-brand: #ffffff;
  --danger: #a3241c;
  --focus: #1b4fd8;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101714;
    --card: #18211d;
    --ink: #eaf0ec;
    --muted: #a9b7b0;
    --hairline: #33413a;
    --brand: #5fc3a8;
    --brand-hover: #7ad3bb;
    --on-brand: #06251d;
    --danger: #ff9e95;
    --focus: #9db8ff;
  }
}

* { box-sizing: border-box; }

body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", system-ui, sans-serif;
}

header, main, footer {
  max-width: 44rem;
  margin: 0 auto;
  padding: 1.25rem;
}

header {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1rem;
  align-items: center;
  justify-content: space-between;
}

.name { color: inherit; font-weight: 600; text-decoration: none; }
.name::before { content: ""; display: inline-block; width: 0.75rem; height: 0.75rem; margin-right: 0.5rem; border-radius: 3px; background: var(--brand); }

.sheet {
  padding: 2rem 1.25rem;
  border: 1px solid var(--hairline);
  border-radius: 10px;
  background: var(--card);
}

@media (min-width: 30rem) {
  .sheet { padding: 2rem; }
}

h1 { margin: 0 0 0.5rem; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 2rem 0 0; font-size: 1.125rem; }
p { margin: 0.5rem 0; }
.muted, footer { color: var(--muted); font-size: 0.875rem; }
.problem { padding-left: 0.75rem; border-left: 4px solid var(--danger); }

dl { margin: 0.75rem 0 0; border-top: 1px solid var(--hairline); }
dl div { display: grid; gap: 0 1rem; align-items: baseline; padding: 0.5rem 0; border-bottom: 1px solid var(--hairline); }
dt { color: var(--muted); font-family: var(--mono); font-size: 0.875rem; }
dd { margin: 0; overflow-wrap: anywhere; }

@media (min-width: 30rem) {
  dl div { grid-template-columns: 11rem 1fr; }
}

form { display: inline-block; margin: 0; }
.fields { display: grid; gap: 1rem; max-width: 24rem; margin-top: 1rem; }
.fields label { display: grid; gap: 0.25rem; font-weight: 600; }
.fields input { min-height: 2.75rem; padding: 0.5rem; border: 1px solid var(--muted); border-radius: 6px; background: var(--card); color: var(--ink); font: inherit; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }

.button {
  display: inline-block;
  min-height: 2.75rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid var(--brand);
  border-radius: 6px;
  background: var(--brand);
  color: var(--on-brand);
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}

.button:hover { border-color: var(--brand-hover); background: var(--brand-hover); }
.quiet { background: transparent; color: var(--brand); }
.quiet:hover { background: transparent; color: var(--brand-hover); }

:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
`;
