import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";
import { requestMetrics } from "./metrics-port.ts";

const RULES = "deploy/prometheus-rules.yml";

let server: ChildServer;
/** The metrics that Prometheus reads of a started server. */
let metrics: string;

beforeAll(async () => {
  const port = await freePort();
  server = await startChildServer({ env: { METRICS_PORT: String(port) } });
  metrics = (await requestMetrics(port)).text;
});

afterAll(() => server?.remove());

/** Runs promtool, which checks configuration, rules and metrics for Prometheus. */
function promtool(args: readonly string[], input = "") {
  const { program, env } = requireDebianTool("promtool");
  const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: "utf8", timeout: 60_000 });
  return { status, output: `${stdout}${stderr}` };
}

/** Names of the metrics that a server has, as `# TYPE` lists them. */
const namesOf = (text: string) => [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);

test("promtool accepts the metrics without a finding", () => {
  expect(promtool(["check", "metrics"], metrics)).toEqual({ status: 0, output: "" });
});

test.each(["docs/operations.md", "docs/operations.de.md"])("%s lists the metrics that exist, and no others", (file) => {
  const rows = readText(file)
    .split("\n")
    .filter((line) => line.startsWith("| `gatehouse_"));
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  expect(listed.sort()).toEqual(
    namesOf(metrics)
      .filter((name) => name.startsWith("gatehouse_"))
      .sort(),
  );
});

type Series = Readonly<Record<string, string>>;

/**
 * Values of each minute of an hour, with which an alert fires at its end, and with which it does not. "0+2x60" begins with 0
 * and adds 2 sixty times. `labels`: those of the alert.
 */
const ALERTS: Readonly<Record<string, { quiet: Series; firing: Series; labels?: Series }>> = {
  GatehouseDown: {
    quiet: { 'up{job="gatehouse"}': "1+0x60", 'up{job="other"}': "0+0x60" },
    firing: { 'up{job="gatehouse"}': "0+0x60" },
    labels: { job: "gatehouse" },
  },
  GatehouseErrors: {
    quiet: {
      'gatehouse_request_seconds_count{status="5xx",route="/login"}': "0+1x60",
      'gatehouse_request_seconds_count{status="4xx",route="/login"}': "0+900x60",
    },
    firing: {
      'gatehouse_request_seconds_count{status="5xx",route="/login"}': "0+2x60",
      'gatehouse_request_seconds_count{status="5xx",route="/mfa"}': "0+2x60",
    },
  },
  GatehouseOverloaded: {
    quiet: { gatehouse_password_hash_refused_total: "7+0x60" },
    firing: { gatehouse_password_hash_refused_total: "7+0x58 8 8" },
  },
  GatehouseGuessing: {
    quiet: { 'gatehouse_lockouts_total{area="sign_in"}': "0+3x60" },
    firing: {
      'gatehouse_lockouts_total{area="sign_in"}': "0+3x60",
      'gatehouse_lockouts_total{area="second_factor"}': "0+1x60",
    },
  },
  GatehouseMailStuck: {
    quiet: { gatehouse_mails_oldest_seconds: "900+0x60" },
    firing: { gatehouse_mails_oldest_seconds: "901+0x60" },
  },
  GatehouseMailRefused: {
    quiet: {
      'gatehouse_mail_attempts_total{result="sent"}': "0+9x60",
      'gatehouse_mail_attempts_total{result="recipient"}': "0+9x60",
      'gatehouse_mail_attempts_total{result="connection"}': "3+0x60",
    },
    firing: { 'gatehouse_mail_attempts_total{result="connection"}': "0+1x60" },
  },
  GatehouseLogoutStuck: {
    quiet: { gatehouse_backchannel_logouts_oldest_seconds: "3600+0x60" },
    firing: { gatehouse_backchannel_logouts_oldest_seconds: "3601+0x60" },
  },
  GatehouseLogoutFailed: {
    quiet: { gatehouse_backchannel_logouts_failed: "0+0x60" },
    firing: { gatehouse_backchannel_logouts_failed: "1+0x60" },
  },
  GatehouseBackupOld: {
    quiet: { gatehouse_backup_age_seconds: "180000+0x60" },
    firing: { gatehouse_backup_age_seconds: "180001+0x60" },
  },
  GatehouseBackupFailed: {
    quiet: {
      'gatehouse_backups_total{result="ok"}': "0+1x60",
      'gatehouse_backups_total{result="failed"}': "0+0x60",
    },
    firing: { 'gatehouse_backups_total{result="failed"}': "0+0x30 1+0x30" },
    labels: { result: "failed" },
  },
  GatehouseKeyOld: {
    quiet: { 'gatehouse_signing_key_age_seconds{alg="RS256"}': "8208000+0x60" },
    firing: { 'gatehouse_signing_key_age_seconds{alg="ES256"}': "8208001+0x60" },
    labels: { alg: "ES256" },
  },
  GatehouseWalLarge: {
    quiet: { 'gatehouse_database_bytes{file="main"}': "9e9+0x60" },
    firing: { 'gatehouse_database_bytes{file="wal"}': "500000001+0x60" },
    labels: { file: "wal" },
  },
};

describe("the alert rules", () => {
  const rules = readText(RULES);
  const summaries = new Map(
    [...rules.matchAll(/alert: (\w+)\n(?:.*\n)*? +summary: (.*)$/gm)].map(([, name = "", text = ""]) => [name, text]),
  );

  test("are accepted by promtool without a finding", () => {
    const { status, output } = promtool(["check", "rules", "--lint=all", "--lint-fatal", join(ROOT, RULES)]);
    expect([status, output]).toEqual([0, expect.stringContaining(`${summaries.size} rules found`)]);
  });

  test("name metrics that exist", () => {
    const named = [...rules.matchAll(/gatehouse_\w+/g)].map(([name]) => name.replace(/_count$/, ""));
    expect(new Set(named).size).toBeGreaterThan(8);
    expect(named.filter((name) => !namesOf(metrics).includes(name))).toEqual([]);
  });

  test("each have values with which they fire, below", () => {
    expect([...summaries.keys()].sort()).toEqual(Object.keys(ALERTS).sort());
  });

  test.each(Object.entries(ALERTS))(
    "%s fires with its values, and not below",
    (alertname, { quiet, firing, labels }) => {
      const summary = summaries.get(alertname)?.replace("{{ $labels.alg }}", labels?.["alg"] ?? "") ?? "";
      const fired = { exp_labels: labels ?? {}, exp_annotations: { summary } };
      const cases = [
        { series: quiet, exp_alerts: [] },
        { series: firing, exp_alerts: [fired] },
      ].map(({ series, exp_alerts }) => ({
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: "1h", alertname, exp_alerts }],
      }));
      const folder = mkdtempSync(join(tmpdir(), "gatehouse-rules-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      // JSON is YAML.
      const file = join(folder, "test.yml");
      writeFileSync(file, JSON.stringify({ rule_files: [join(ROOT, RULES)], evaluation_interval: "1m", tests: cases }));
      expect(promtool(["test", "rules", file])).toEqual({ status: 0, output: expect.stringContaining("SUCCESS") });
    },
  );
});
