import type { CustomFetch } from "openid-client";
import { UpstreamError } from "./upstream-error.ts";

/** Maximum bytes of a provider's response, decoded. Discovery documents, key sets and tokens are far smaller. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Fetches from a provider and reads at most 1 MB of the response, counted after decompression; then closes the
 * connection. The timeout (`options.signal`) includes the body.
 * @throws UpstreamError if the response is larger
 */
export const limitedFetch: CustomFetch = async (url, { body: requestBody, ...options }) => {
  const form = requestBody instanceof Uint8Array ? Buffer.from(requestBody) : (requestBody ?? null);
  const response = await fetch(url, { ...options, body: form });
  if (response.body === null) return response;
  const body = await readAtMost(response.body, MAX_RESPONSE_BYTES);
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
};

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    length += chunk.value.length;
    if (length > maxBytes) {
      // Closes the connection; an error while closing is irrelevant.
      await reader.cancel().catch(() => {});
      throw new UpstreamError("answer larger than 1 MB");
    }
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks, length);
}
