import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "#tests/support/source-tree.ts";

/** Where the references stand once they are built. */
export const BUNDLES = join(ROOT, "build/bench");

/** Programs that run as children beside the product, and the probe that is loaded into all of them. */
const ENTRIES = ["bare-page.tsx", "bare-provider.ts", "nothing.ts", "paced-client.ts", "probe.ts"];

/** Builds the references the way the product is built, so that no compiler runs while they are measured. */
export async function buildReferences(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => join(ROOT, "tests/bench", entry)),
    outdir: BUNDLES,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
}
