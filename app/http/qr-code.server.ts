import { toBuffer } from "qrcode";

/** Pixels per module, and modules of white around the code (ISO/IEC 18004). */
const SCALE = 5;
const QUIET_ZONE = 4;

/** Returns the text as a QR code: a base64 PNG, always black on white. */
export async function drawQrCode(text: string): Promise<string> {
  const image = await toBuffer(text, { type: "png", scale: SCALE, margin: QUIET_ZONE, errorCorrectionLevel: "M" });
  return image.toString("base64");
}
