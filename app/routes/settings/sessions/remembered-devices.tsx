import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { Row, Section, Tag } from "#app/routes/settings/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import type { DeviceTexts } from "./remembered-devices.server.ts";

/** The section of the sessions page that lists remembered devices; nothing if there are none. */
export function RememberedDevices({ devices, xsrf }: { devices: readonly DeviceTexts[]; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  if (devices.length === 0) return null;
  return (
    <Section id="remembered" heading={t("manageDevices.heading")} lead={t("manageDevices.intro")}>
      {devices.map((device) => (
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
          action={<ForgetDeviceForm device={device} xsrf={xsrf} />}
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

function ForgetDeviceForm({ device, xsrf }: { device: DeviceTexts; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsForm action="/manage/sessions/forget-device" hiddenFields={{ _xsrf: xsrf, device: device.id }}>
      <Submit quiet busy={t("manageDevices.forgetting")} label={t("manageDevices.forgetNamed", { name: device.name })}>
        {t("manageDevices.forget")}
      </Submit>
    </SettingsForm>
  );
}
