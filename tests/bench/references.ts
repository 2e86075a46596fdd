import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "#tests/support/source-tree.ts";

/** Output folder of the references. */
export const BUNDLES = join(ROOT, "build/bench");

/** Programs that run beside the product, and the probe. */
const ENTRIES = ["bare-page.tsx", "bare-provider.ts", "nothing.ts", "paced-client.ts", "probe.ts"];

/** Builds the references as the product is built, so that no compiler runs during the measurement. */
export async function buildReferences(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => join(ROOT, "tests/bench", entry)),
    outdir: BUNDLES,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
}
