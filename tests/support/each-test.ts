import { beforeEach } from "vitest";

/** Creates values before each test. The members of the returned object are those of the current test. */
export function eachTest<Values extends object>(create: () => Promise<Values>): Values {
  const values: Values = Object.create(null);
  beforeEach(async () => {
    Object.assign(values, await create());
  });
  return values;
}
