import { Counter, type Registry } from "prom-client";
import type { CountedEvent } from "#app/domain/audit/instrumentation.server.ts";
import { factorOf, methodOf, providerOf } from "./labels.server.ts";

const SIGN_INS: Readonly<Record<string, string>> = {
  "sign-in.succeeded": "succeeded",
  "sign-in.second-factor-required": "second_factor_required",
  "sign-in.refused": "refused",
  "sign-in.throttled": "throttled",
};

const SECOND_FACTORS: Readonly<Record<string, string>> = {
  "factor.accepted": "accepted",
  "recovery-code.used": "accepted",
  "factor.refused": "refused",
  "factor.throttled": "throttled",
  "factor.added": "added",
  "factor.removed": "removed",
};

const RESETS: Readonly<Record<string, { kind: string; step: string }>> = {
  "password-reset.requested": { kind: "password", step: "requested" },
  "password-reset.refused": { kind: "password", step: "refused" },
  "password-reset.done": { kind: "password", step: "done" },
  "factor-reset.requested": { kind: "second_factor", step: "requested" },
  "factor-reset.refused": { kind: "second_factor", step: "refused" },
  "factor-reset.stopped": { kind: "second_factor", step: "stopped" },
  "factor-reset.done": { kind: "second_factor", step: "done" },
};

const LOCKOUTS: Readonly<Record<string, string>> = {
  "sign-in.throttled": "sign_in",
  "factor.throttled": "second_factor",
  "settings.throttled": "settings",
};

/** Counts audit events. Returns the listener for each event. */
export function countEvents(register: Registry): (event: CountedEvent) => void {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers: [register] });
  const events = counter("gatehouse_events_total", "Audit events by type and outcome.", ["event", "outcome"]);
  const signIns = counter("gatehouse_sign_ins_total", "Sign-ins by result and by first factor.", ["result", "method"]);
  const factors = counter("gatehouse_second_factors_total", "Second factors by kind and result.", ["kind", "result"]);
  const resets = counter("gatehouse_resets_total", "Resets of passwords and second factors, by step.", [
    "kind",
    "step",
  ]);
  const lockouts = counter("gatehouse_lockouts_total", "Attempts that were refused because too many had failed.", [
    "area",
  ]);
  const providers = counter("gatehouse_provider_refusals_total", "Failed sign-ins with an external provider.", [
    "provider",
  ]);

  return (event) => {
    const { type, outcome } = event;
    events.inc({ event: type, outcome });
    const result = SIGN_INS[type];
    if (result) signIns.inc({ result, method: methodOf(event) });
    const factorResult = SECOND_FACTORS[type];
    if (factorResult) factors.inc({ kind: factorOf(event), result: factorResult });
    const reset = RESETS[type];
    if (reset) resets.inc(reset);
    const area = LOCKOUTS[type];
    if (area) lockouts.inc({ area });
    if (type === "provider.refused") providers.inc({ provider: providerOf(event) });
  };
}
