/** What a command ends with; scripts rely on these numbers. */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 3, notFound: 4, refused: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
