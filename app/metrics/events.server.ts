import { Counter, type Registry } from "prom-client";
import type { EventDefinition } from "#app/domain/audit/event-definition.ts";
import { AUDIT_EVENTS } from "#app/domain/audit/events.ts";
import type { CountedEvent } from "#app/domain/audit/instrumentation.server.ts";
import { factorOf, methodOf, providerOf } from "./labels.server.ts";

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
    const definition: EventDefinition = AUDIT_EVENTS[type];
    const { signIn, secondFactor, passwordReset, factorReset, lockout, providerRefusal } = definition.metrics ?? {};
    if (signIn) signIns.inc({ result: signIn, method: methodOf(event) });
    if (secondFactor) factors.inc({ kind: factorOf(event), result: secondFactor });
    if (passwordReset) resets.inc({ kind: "password", step: passwordReset });
    if (factorReset) resets.inc({ kind: "second_factor", step: factorReset });
    if (lockout) lockouts.inc({ area: lockout });
    if (providerRefusal) providers.inc({ provider: providerOf(event) });
  };
}
