/** Text keys of error pages; `isTemporary`: repeating the request may succeed. */
const BY_STATUS = {
  400: { title: "serverError.400.title", description: "serverError.400.description", isTemporary: false },
  403: { title: "serverError.403.title", description: "serverError.403.description", isTemporary: false },
  404: { title: "serverError.404.title", description: "serverError.404.description", isTemporary: false },
  413: { title: "serverError.413.title", description: "serverError.413.description", isTemporary: false },
  421: { title: "serverError.421.title", description: "serverError.421.description", isTemporary: false },
  429: { title: "serverError.429.title", description: "serverError.429.description", isTemporary: true },
  500: { title: "serverError.500.title", description: "serverError.500.description", isTemporary: true },
  503: { title: "serverError.overload.title", description: "serverError.overload.description", isTemporary: true },
} as const;

const FOREIGN_ORIGIN = {
  title: "serverError.origin.title",
  description: "serverError.origin.description",
  isTemporary: false,
} as const;

const UNKNOWN = {
  title: "serverError.unknown.title",
  description: "serverError.unknown.description",
  isTemporary: true,
} as const;

type ServerErrorTexts = (typeof BY_STATUS)[keyof typeof BY_STATUS] | typeof FOREIGN_ORIGIN | typeof UNKNOWN;

/** Returns the texts for an HTTP status; a generic text for a status that has none. */
export function serverErrorTexts(status: number, isForeignOrigin: boolean): ServerErrorTexts {
  if (status === 403 && isForeignOrigin) return FOREIGN_ORIGIN;
  return hasTexts(status) ? BY_STATUS[status] : UNKNOWN;
}

function hasTexts(status: number): status is keyof typeof BY_STATUS {
  return Object.hasOwn(BY_STATUS, status);
}
