import type { FakeProviderUser } from "./fake-provider.ts";

const person = (sub: string, name: string, email: string): FakeProviderUser => ({
  sub,
  name,
  email,
  email_verified: true,
});

/** Who has an account at which stand-in. */
export const FAKE_PROVIDER_USERS = {
  google: [
    person("google-anna", "Anna Berger", "anna.berger@google.example"),
    person("google-eva", "Eva Neumann", "eva.neumann@google.example"),
  ],
  microsoft: [
    person("microsoft-bernd", "Bernd Vogel", "bernd.vogel@microsoft.example"),
    person("microsoft-eva", "Eva Neumann", "eva.neumann@microsoft.example"),
  ],
  apple: [
    person("apple-carla", "Carla Winter", "carla.winter@apple.example"),
    person("apple-eva", "Eva Neumann", "eva.neumann@apple.example"),
  ],
} as const satisfies Record<string, readonly FakeProviderUser[]>;

/** Which of them open which accounts of the demo; Anna works in two offices, Eva has no account yet. */
export const FAKE_PROVIDER_CONNECTIONS = [
  { provider: "google", sub: "google-anna", username: "anna.berger" },
  { provider: "google", sub: "google-anna", username: "anna.berger.alpen" },
  { provider: "microsoft", sub: "microsoft-bernd", username: "bernd.vogel" },
  { provider: "apple", sub: "apple-carla", username: "carla.winter" },
] as const;
