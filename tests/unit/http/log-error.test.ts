import { describe, expect, it } from "vitest";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";

describe("an error in the log", () => {
  it("logs error and path", () => {
    const described = describeError(new TypeError("x is not a function"));
    expect(described).toMatchObject({ name: "TypeError", message: "x is not a function" });
    expect(described["at"]).toEqual(expect.arrayContaining([expect.stringContaining("log-error.test.ts")]));
  });

  it("has the code of a refusal, and what caused it", () => {
    const cause = new Error("the pool is closed");
    expect(describeError(new DomainError("overloaded", { cause }))).toMatchObject({
      code: "overloaded",
      cause: { message: "the pool is closed" },
    });
  });

  it("never contains the values of a failed statement", () => {
    const error = Object.assign(new Error("Failed query: update users set hash = ?\nparams: SECRET,7"), {
      query: "update users set hash = ?",
      params: ["SECRET", 7],
      code: "23505",
      detail: "Key (hash)=(SECRET) already exists.",
      cause: new Error("UNIQUE constraint failed\nparams: SECRET"),
    });
    expect(JSON.stringify(describeError(error))).not.toContain("SECRET");
    expect(describeError(error)).toMatchObject({ message: "Failed query: update users set hash = ?" });
  });

  it("never contains a thrown value that is not an error", () => {
    expect(describeError({ password: "SECRET" })).toEqual({ message: "something that is no Error was thrown" });
    expect(describeError("SECRET")).toEqual({ message: "something that is no Error was thrown" });
  });

  it("ends, even where an error is its own cause", () => {
    const error = new Error("round and round");
    error.cause = error;
    expect(describeError(error)).toMatchObject({ message: "round and round" });
  });
});
