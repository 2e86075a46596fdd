export function buildClientScript(target?: { outDir?: string }): Promise<string>;
