import "@remix-run/server-runtime";

declare module "@remix-run/server-runtime" {
  // Required by Remix for the types of loader data with single fetch.
  interface Future {
    v3_singleFetch: true;
  }
}
