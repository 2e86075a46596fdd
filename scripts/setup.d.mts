export const ROOT: string;
export class SetupError extends Error {}
export function ensurePackages(): Promise<void>;
export function ensureChromium(): Promise<string>;
export function ensureTools(): Promise<void>;
export function ensureOtherBrowsers(): Promise<void>;
export function ensurePostgres(): Promise<void>;
