import type { ReactNode } from "react";

/** A QR code on a tile that is light in every colour scheme, because scanners need the quiet zone. */
export function QrCode({ pngBase64, alt }: { pngBase64: string; alt: string }): ReactNode {
  return (
    <p className="qr">
      <img src={`data:image/png;base64,${pngBase64}`} alt={alt} width={208} height={208} />
    </p>
  );
}
