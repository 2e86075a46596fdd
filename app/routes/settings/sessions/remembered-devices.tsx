import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { distinctNames } from "#app/routes/settings/distinct-names.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { Row, Section, Tag } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import type { DeviceTexts } from "./remembered-devices.server.ts";

/** The section of the sessions page that lists remembered devices; nothing if there are none. */
export function RememberedDevices({ devices, xsrf }: { devices: readonly DeviceTexts[]; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  if (devices.length === 0) return null;
  const names = distinctNames(devices.map(({ name }) => name));
  return (
    <Section id="remembered" heading={t("manageDevices.heading")} lead={t("manageDevices.intro")}>
      {devices.map((device, index) => (
        <Row
          key={device.id}
          label={
            <>
              {device.name}
              {device.isThis ? (
                <>
                  {" "}
                  <Tag>{t("manageSessions.current")}</Tag>
                </>
              ) : null}
            </>
          }
          value={<DeviceDescription {...device} />}
          action={<ForgetDeviceForm id={device.id} name={names[index] ?? ""} xsrf={xsrf} />}
        />
      ))}
    </Section>
  );
}

function DeviceDescription({ since, until }: DeviceTexts): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <span className="also">{t("manageDevices.until", { date: until })}</span>
      <span className="also">{t("manageDevices.since", { when: since })}</span>
    </>
  );
}

function ForgetDeviceForm({ id, name, xsrf }: { id: string; name: string; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsForm action="/manage/sessions/forget-device" hiddenFields={{ _xsrf: xsrf, device: id }}>
      <Submit quiet busy={t("manageDevices.forgetting")} label={t("manageDevices.forgetNamed", { name })}>
        {t("manageDevices.forget")}
      </Submit>
    </SettingsForm>
  );
}
