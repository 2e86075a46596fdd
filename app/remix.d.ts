import "@remix-run/server-runtime";

declare module "@remix-run/server-runtime" {
  // Remix asks for this, so that loader data keeps its types with single fetch.
  interface Future {
    v3_singleFetch: true;
  }
}
