import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// Loaded from the package, because by default the library fetches it from the network.
const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
void prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(file)).buffer } });

/** Returns the contents of the QR codes in a PNG. */
export async function readQrCodes(picture: Buffer): Promise<string[]> {
  const found = await readBarcodes(new Uint8Array(picture), { formats: ["QRCode"], tryInvert: false });
  return found.map(({ text }) => text);
}
