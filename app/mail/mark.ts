import type { Config } from "#app/config/config.ts";

/** Content-ID of the mark, without angle brackets (RFC 2392). */
export const MARK_CID = "mark@gatehouse";

/** The product's mark: a white gate on a green tile, 56 by 56 pixels. */
const PRODUCT_MARK = [
  "iVBORw0KGgoAAAANSUhEUgAAADgAAAA4CAYAAACohjseAAACtElEQVR4nOyaTUhUURTH/+c26JRNtqudJGibkrJFUwuZZajTx6IWM9oiIqtFtG",
  "gdtAwiopW2Cr8IXEROBhWGWJRJmY1E5YRFEGqZjDM6ptY73TthTH7ATHBx7uX94DHvnjmL+5tz3p3L43qwCr5wsJbAe0GolMNKAm1FHsHgUfkx",
  "oC5m6k+2Re6ulEdLA9764LYC5lYptB8GIYWfzhPV/WiJfMyMi8yBr672ZKGDqGlyCjVnNXdfuOZEZnzd4k1xuPY0ETXJzAKYipy7dDjk3Vk+Pj",
  "c0/OJPSFIcqimFoKgcFsEKeAYOV0y1d42oFiUW1GKPnIKKmESzuqFN4aCfCM9gIczYJyvo+GEtjt8jF9IArIWUIKytoFxB/R75/G2BrRCVCFiO",
  "J9vEeEsn8onN9QezyrO+gq6g6biCpkPFdUGGxbgtajruTmYpa72jyXYHs4jboqbjCpqOK2g6Of9N5MpUagbXu25j8NMHvBqJpWO7S8uwp7Qc52",
  "qOYKN3PXSiVfDh65c4e+MaviWm/ol3RwfSV3PPAzQ2nEdgxy7oQluLKoGjVy4tk8tkLD6Jw5cvpn8IXWgRjM9M41Tj1azzz8gqJ2ZT0IEWwfbH",
  "3fieTGSdPyGrfOvJI+hAi2B/7B1ypW/4LXSgZZH5n8k+N0lQLR658mVyAjpwdzKm4wqajitoOu6bbdOxv0WZMQ5LUW6ygjwIa+FBQUTWCio3wY",
  "5jraByE4mk6JTNOgTLkM/fm8TChjsCkUjql+CQDMzDEpSLg5/H0NExmz4QOx+NfS2sKJuWPXsAVuBcSLbdi6i7vyd+54Zifd6K7WNgBAw+9Rtn",
  "cEOiratpMbD8UHqouqRQiJvyqwCMgnsWsBBKtd4fzYzSaum+49XlcEQVMVURuEodbENewZ+ZqVdWrBckepOtne9XyvoNAAD//5zsNfgAAAAGSU",
  "RBVAMA9ObpajDShm8AAAAASUVORK5CYII=",
].join("");

/**
 * Returns the PNG that mails show beside the name: the office's logo, or the product's mark if the office has neither a
 * logo nor a colour of its own. Null for an SVG, which few mail clients show.
 */
export function markOf({ logo, accent }: Pick<Config, "logo" | "accent">): Buffer | null {
  if (logo) return logo.type === "image/png" ? logo.content : null;
  return accent ? null : Buffer.from(PRODUCT_MARK, "base64");
}
