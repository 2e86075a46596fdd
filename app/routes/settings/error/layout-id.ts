/** Id of the route of the settings' frame, for pages that are shown without it too. Its data is null without access. */
export const LAYOUT_ID = "routes/settings/layout";
