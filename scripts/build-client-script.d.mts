export function buildEnhance(target?: {
  outDir?: string;
  manifestFile?: string;
}): Promise<Record<"enhance.js" | "second-factor.js" | "own-key.js" | "keep.js" | "new-password.js", string>>;
