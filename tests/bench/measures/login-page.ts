import type { Bench, Finding, Server } from "../bench.ts";
import { openLogin } from "../gatehouse.ts";
import { type Browser, createBrowser, type HttpResponse, redirectOf } from "../http-client.ts";
import { ratePerSecond } from "../load.ts";
import { authorizationUrl } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

/** A loaded login page. */
type OpenPage = { browser: Browser; url: URL; response: HttpResponse };

/** Starts a sign-in up to the login page. */
export async function openLoginPage(bench: Bench): Promise<OpenPage> {
  const browser = createBrowser(bench.http, bench.nextUser().address);
  const url = redirectOf(await browser.get(authorizationUrl(bench.service)));
  return { browser, url, response: await openLogin(browser, url) };
}

/** Measures login pages per second, compared with Express that renders the same markup with React. */
export async function measureLoginPage(bench: Bench, bare: Server): Promise<Finding> {
  const { rounds, loadSeconds } = bench.options.effort;
  const load = { clients: bench.options.clients, seconds: loadSeconds / 2 };
  const page = await openLoginPage(bench);
  const same = { ...page, url: new URL("/login", bare.url) };
  const ours: number[] = [];
  const reference: number[] = [];
  const cost = { ours: [] as number[], reference: [] as number[] };
  await measureRound(bare, same, load);
  for (let round = 0; round < rounds; round += 1) {
    const product = await measureRound(bench.product, page, load);
    const plain = await measureRound(bare, same, load);
    ours.push(product.rate);
    reference.push(plain.rate);
    cost.ours.push(product.costMs);
    cost.reference.push(plain.costMs);
  }
  const bytes = { ours: page.response.body.length, reference: (await openLogin(page.browser, same.url)).body.length };
  return {
    what: "login page",
    unit: "per second",
    ours: median(ours),
    reference: { what: "Express + renderToString, same markup", value: median(reference) },
    ratio: ratios(ours, reference),
    target: null,
    details: { ours, reference, processorMs: cost, bytes },
  };
}

async function measureRound(server: Server, { browser, url }: OpenPage, load: { clients: number; seconds: number }) {
  const before = await server.process.processorMs();
  let pages = 0;
  const rate = await ratePerSecond(load, async () => {
    await openLogin(browser, url);
    pages += 1;
  });
  return { rate, costMs: ((await server.process.processorMs()) - before) / pages };
}
