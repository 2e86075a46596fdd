import { Form, useNavigation } from "@remix-run/react";
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { PendingForm } from "#app/ui/submit.tsx";

type SettingsFormProps = Omit<ComponentProps<typeof Form>, "method" | "onSubmit"> & {
  /** They identify this form among those of the page. */
  hiddenFields: Readonly<Record<string, string>>;
};

/**
 * A form that is sent without a document load. Its submit button shows that it is being sent; until the response
 * arrives, no other form of the page is sent. Forms whose target is not a page of the settings are plain forms.
 */
export function SettingsForm({ hiddenFields, children, ...form }: SettingsFormProps): ReactNode {
  const { formData: sent } = useNavigation();
  // Set before React renders `sent`: the request begins earlier.
  const isSent = useRef(false);
  useEffect(() => {
    isSent.current = sent !== undefined;
  });
  const hidden = Object.entries(hiddenFields);
  const sendOnce = (event: FormEvent) => {
    // A live element may have refused the form.
    if (event.defaultPrevented) return;
    if (isSent.current) event.preventDefault();
    isSent.current = true;
  };
  return (
    <Form {...form} onSubmit={sendOnce} method="post">
      <PendingForm.Provider value={hidden.every(([name, value]) => sent?.get(name) === value)}>
        {hidden.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {children}
      </PendingForm.Provider>
    </Form>
  );
}
