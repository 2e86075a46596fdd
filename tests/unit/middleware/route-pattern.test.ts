import { describe, expect, it } from "vitest";
import { createPatternOf } from "#app/middleware/route-pattern.server.ts";
import { pagesBuild } from "./pages-build.ts";

const PATHS = {
  front: { parentId: "root" },
  login: { path: "login", parentId: "root" },
  provider: { path: "login/:provider", parentId: "root" },
  callback: { path: "login/:provider/callback", parentId: "root" },
  layout: { parentId: "root" },
  key: { path: "manage/mfa/keys/:id", parentId: "layout" },
  code: { path: "manage/error/:code", parentId: "root" },
  rest: { path: "manage/*", parentId: "root" },
  nowhere: { path: "*", parentId: "root" },
};

const build = pagesBuild();
const module = Object.values(build.routes).find((route) => route !== undefined)?.module;
const routes = Object.fromEntries(
  Object.entries(PATHS).flatMap(([id, route]) => (module ? [[id, { id, module, ...route }]] : [])),
);
const patternOf = createPatternOf({ ...build, routes: { ...build.routes, ...routes } });

describe("the pattern of a path", () => {
  it.each([
    ["/", "/"],
    ["/login", "/login"],
    ["/LOGIN/", "/login"],
    ["/login/google", "/login/:provider"],
    ["/login/google/callback", "/login/:provider/callback"],
    ["/login/google/else", "other"],
    ["/manage/mfa/keys/4711", "/manage/mfa/keys/:id"],
    ["/manage/error/some-code", "/manage/error/:code"],
    ["/manage/mfa/keys/4711.data", "/manage/mfa/keys/:id"],
    ["/login.data", "/login"],
    ["/manage/any/thing", "/manage/*"],
    ["/oauth2/auth", "/oauth2/auth"],
    ["/oauth2/auth/Xy12", "/oauth2/auth/:uid"],
    ["/oauth2/sessions/logout/confirm", "/oauth2/sessions/logout/*"],
    ["/oauth2/sessions/logout", "/oauth2/sessions/logout"],
    ["/oauth2/anything", "other"],
    ["/assets/client-1.js", "/assets/*"],
    ["/readyz", "/readyz"],
    ["/.well-known/jwks.json", "/.well-known/jwks.json"],
    ["/wp-login.php", "other"],
    ["/%7e", "other"],
    ["//", "other"],
  ])("%s is %s", (path, pattern) => {
    expect(patternOf(path)).toBe(pattern);
  });
});
