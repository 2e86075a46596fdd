import { toBuffer } from "qrcode";

/** Pixels of a module and modules of white around the code, which scanners need (ISO/IEC 18004). */
const SCALE = 5;
const QUIET_ZONE = 4;

/** The text as a QR code: a PNG in base64, black on white whatever the page's colours. */
export async function drawQrCode(text: string): Promise<string> {
  const image = await toBuffer(text, { type: "png", scale: SCALE, margin: QUIET_ZONE, errorCorrectionLevel: "M" });
  return image.toString("base64");
}
