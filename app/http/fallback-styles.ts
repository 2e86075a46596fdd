/**
 * Styles of the fallback page: what it needs of tokens.css, base.css, layout.css and parts.css, because it is sent in
 * one piece. The tokens are in the layer of tokens.css, so that the accent colours override them.
 */
export const FALLBACK_STYLES = `@layer tokens {
  :root {
    color-scheme: light dark;
    --paper: #f6f5f1; --card: #fff; --ink: #17231f; --muted: #51605a; --hairline: #d5d9d3; --control: #6f7e77;
    --press: #eceeea; --brand: #0f5c4d; --brand-hover: #0b4539; --on-brand: #fff; --link: #0b5a8a; --focus: #1b4fd8;
    --danger: #a3241c; --inset: 1.25rem; --h1: 1.5rem;
    --font: -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", system-ui, sans-serif;
    --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", "Liberation Mono", monospace;
  }
  @media (min-width: 30rem) { :root { --h1: 1.75rem; --inset: 2rem; } }
  @media screen and (prefers-color-scheme: dark) {
    :root {
      --paper: #101714; --card: #18211d; --ink: #eaf0ec; --muted: #a9b7b0; --hairline: #33413a; --control: #7f9088;
      --press: #222d28; --brand: #5fc3a8; --brand-hover: #7ad3bb; --on-brand: #06251d; --link: #8cc4ee;
      --focus: #9db8ff; --danger: #ff9e95;
    }
  }
}
@layer page {
  * { box-sizing: border-box; }
  html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem / 1.5 var(--font); overflow-wrap: anywhere; }
  h1, p, ul { margin: 0; padding: 0; }
  h1 { font-size: var(--h1); font-weight: 600; line-height: 1.2; letter-spacing: -0.015em; hyphens: auto; }
  b { font-weight: 600; }
  a { color: var(--link); text-underline-offset: 0.2em; }
  code { font: 1em / 1 var(--mono); }
  :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
  .skip { position: absolute; inset: 0.5rem auto auto 0.5rem; padding: 0.75rem 1rem; background: var(--card); }
  .skip:not(:focus) { clip-path: inset(50%); }
  #root { display: flex; flex-direction: column; max-inline-size: 26rem; min-block-size: 100svh; margin-inline: auto; }
  .sheet { padding: 2rem var(--inset); border-block-start: 4px solid var(--danger); background: var(--card); }
  .brand { display: flex; gap: 0.75rem; margin-block-end: 1.5rem; line-height: 1.25rem; }
  .brand svg { flex: none; inline-size: 1.25rem; block-size: 1.25rem; color: var(--brand); }
  main, .facts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
  .lead { margin-block-start: 0.5rem; color: var(--muted); }
  .actions { display: grid; gap: 0.75rem; }
  .button {
    display: flex; align-items: center; justify-content: center; min-block-size: 3rem; padding: 0.5rem 1rem;
    border: 1px solid #0000; border-radius: 6px; background: var(--brand); color: var(--on-brand); font-weight: 600;
    line-height: 1.25; text-align: center; text-decoration: none;
  }
  .button:hover { background: var(--brand-hover); }
  .quiet { border-color: var(--control); background: none; color: var(--ink); }
  .quiet:hover { border-color: var(--ink); background: var(--press); }
  .facts { gap: 0.25rem; padding-block-start: 1rem; border-block-start: 1px solid var(--hairline); }
  .facts, footer { font-size: 0.875rem; color: var(--muted); }
  footer { margin-block-start: auto; padding: 1rem var(--inset) 1.5rem; }
  footer ul { display: flex; flex-wrap: wrap; gap: 0 1.5rem; list-style: none; }
  footer a { display: inline-flex; align-items: center; min-block-size: 2.75rem; min-inline-size: 2.75rem; color: inherit; }
  @media (min-width: 30rem) {
    #root { padding-block-start: clamp(2rem, 12vh, 8rem); }
    .sheet { border-radius: 10px; }
    footer { margin: 0; }
  }
  @media print { :root { --paper: #fff; } .skip, .actions, footer { display: none; } }
}
`;
