export function generateMigrations(root: string, options: { check: boolean; name?: string }): Promise<string[]>;
