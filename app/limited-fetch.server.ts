/** Maximum bytes of a response, decoded. Discovery documents, key sets and tokens are far smaller. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Thrown when a response is larger than 1 MB. */
export class ResponseTooLargeError extends Error {
  constructor() {
    super("the response is larger than 1 MB");
    this.name = "ResponseTooLargeError";
  }
}

/** A request as openid-client passes it to its `customFetch`. */
type FormRequest = Omit<RequestInit, "body"> & { body?: BodyInit | Uint8Array | null | undefined };

/**
 * Sends a request of openid-client and reads at most 1 MB of the response, counted after decompression; then closes the
 * connection. The timeout (`options.signal`) includes the body.
 * @throws ResponseTooLargeError if the response is larger
 */
export async function limitedFetch(url: string, { body: requestBody, ...options }: FormRequest): Promise<Response> {
  const form = requestBody instanceof Uint8Array ? Buffer.from(requestBody) : (requestBody ?? null);
  const response = await fetch(url, { ...options, body: form });
  const body = response.body && (await readAtMost(response.body, MAX_RESPONSE_BYTES));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    length += chunk.value.length;
    if (length > maxBytes) {
      // Closes the connection; an error while closing is irrelevant.
      await reader.cancel().catch(() => {});
      throw new ResponseTooLargeError();
    }
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks, length);
}
