import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// From the package itself: the library would fetch its program from the network.
const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
void prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(file)).buffer } });

/** Reads what the QR codes of a picture (PNG) say, as the camera of a phone would. */
export async function readQrCodes(picture: Buffer): Promise<string[]> {
  const found = await readBarcodes(new Uint8Array(picture), { formats: ["QRCode"], tryInvert: false });
  return found.map(({ text }) => text);
}
