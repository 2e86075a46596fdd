import type { FakeProviderUser } from "./types.ts";

const user = (sub: string, name: string, email: string): FakeProviderUser => ({
  sub,
  name,
  email,
  email_verified: true,
});

/** Users of each fake provider. */
export const FAKE_PROVIDER_USERS = {
  google: [
    user("google-anna", "Anna Berger", "anna.berger@google.example"),
    user("google-eva", "Eva Neumann", "eva.neumann@google.example"),
  ],
  microsoft: [
    user("microsoft-bernd", "Bernd Vogel", "bernd.vogel@microsoft.example"),
    user("microsoft-eva", "Eva Neumann", "eva.neumann@microsoft.example"),
  ],
  apple: [
    user("apple-carla", "Carla Winter", "carla.winter@apple.example"),
    user("apple-eva", "Eva Neumann", "eva.neumann@apple.example"),
  ],
} as const satisfies Record<string, readonly FakeProviderUser[]>;

/** Links of these users to accounts of the demo. Anna has accounts in two groups; Eva has none and can register. */
export const FAKE_PROVIDER_CONNECTIONS = [
  { provider: "google", sub: "google-anna", username: "anna.berger" },
  { provider: "google", sub: "google-anna", username: "anna.berger.alpen" },
  { provider: "microsoft", sub: "microsoft-bernd", username: "bernd.vogel" },
  { provider: "apple", sub: "apple-carla", username: "carla.winter" },
] as const;
