export const LANGUAGES = ["en", "de"] as const;

export type Language = (typeof LANGUAGES)[number];

const en = {
  product: "Broker Desk",
  about: "A small application that signs its users in with {issuer}.",
  home: "Home",
  signIn: "Sign in",
  noAccount: "No account yet?",
  askHeading: "A new account",
  askText: "We tell the sign-in page who you are. There you can create an account.",
  proceed: "Continue",
  joinHeading: "Your account",
  joinText: "You will get an e-mail with a link to choose a password.",
  join: "Create account",
  username: "Username",
  name: "Name",
  email: "E-mail address",
  nameTaken: "This username is taken. Please choose another one.",
  notMade: "The account could not be made like this. Please check what you typed.",
  signedOutHeading: "You are signed out",
  signedOutText: "You are signed out of Broker Desk and of {issuer}.",
  welcomeHeading: "Contracts, tasks and customers in one place",
  welcomeText: "Please sign in to continue.",
  signedInHeading: "Hello, {name}",
  signedInText: "You are signed in to Broker Desk. This is what it knows about you.",
  claimsHeading: "ID token, verified",
  claimsText: "Signature, issuer, audience, nonce and expiry were checked.",
  userinfoHeading: "Userinfo",
  userinfoText: "Requested with the access token at {time}. Scopes: {scope}.",
  refresh: "Refresh tokens",
  settings: "Login settings",
  signOut: "Sign out",
  problemHeading: "That did not work",
  denied: "You did not allow Broker Desk to sign you in. Nothing was passed on.",
  stale: "This sign-in was not started here, or it is over. Please start again.",
  unreachable: "{issuer} cannot be reached at the moment. Please try again shortly.",
  refused: "{issuer} did not sign you in. Please start again.",
  ended: "Your session at {issuer} is over. Please sign in again.",
  notFound: "There is no such page.",
  again: "Start again",
  details: "Details",
};

/** Every text of the application. */
export type Texts = typeof en;

const de: Texts = {
  product: "Broker Desk",
  about: "Eine kleine Anwendung, deren Benutzer sich mit {issuer} anmelden.",
  home: "Startseite",
  signIn: "Anmelden",
  noAccount: "Noch kein Konto?",
  askHeading: "Ein neues Konto",
  askText: "Wir sagen der Anmeldeseite, wer Sie sind. Dort können Sie ein Konto anlegen.",
  proceed: "Weiter",
  joinHeading: "Ihr Konto",
  joinText: "Sie bekommen eine E-Mail mit einem Link, um ein Passwort zu wählen.",
  join: "Konto anlegen",
  username: "Benutzername",
  name: "Name",
  email: "E-Mail-Adresse",
  nameTaken: "Dieser Benutzername ist vergeben. Bitte wählen Sie einen anderen.",
  notMade: "So konnte das Konto nicht angelegt werden. Bitte prüfen Sie Ihre Angaben.",
  signedOutHeading: "Sie sind abgemeldet",
  signedOutText: "Sie sind bei Broker Desk und bei {issuer} abgemeldet.",
  welcomeHeading: "Verträge, Aufgaben und Kunden an einem Ort",
  welcomeText: "Bitte melden Sie sich an, um fortzufahren.",
  signedInHeading: "Guten Tag, {name}",
  signedInText: "Sie sind bei Broker Desk angemeldet. Das weiß die Anwendung über Sie.",
  claimsHeading: "ID-Token, geprüft",
  claimsText: "Signatur, Aussteller, Empfänger, Nonce und Ablauf wurden geprüft.",
  userinfoHeading: "Userinfo",
  userinfoText: "Mit dem Zugriffstoken abgefragt um {time}. Berechtigungen: {scope}.",
  refresh: "Token erneuern",
  settings: "Anmeldeeinstellungen",
  signOut: "Abmelden",
  problemHeading: "Das hat nicht geklappt",
  denied: "Sie haben Broker Desk die Anmeldung nicht erlaubt. Es wurde nichts weitergegeben.",
  stale: "Diese Anmeldung wurde nicht hier begonnen oder ist schon beendet. Bitte beginnen Sie neu.",
  unreachable: "{issuer} ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.",
  refused: "{issuer} hat Sie nicht angemeldet. Bitte beginnen Sie neu.",
  ended: "Ihre Sitzung bei {issuer} ist beendet. Bitte melden Sie sich neu an.",
  notFound: "Diese Seite gibt es nicht.",
  again: "Neu beginnen",
  details: "Einzelheiten",
};

const TEXTS: Readonly<Record<Language, Texts>> = { en, de };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

/** Replaces the {placeholders} of a text. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
