/** Hashes of other systems with their passwords; created by passlib, PHP and libxcrypt, not by our code. */
export const FOREIGN_HASHES = [
  {
    name: "scrypt of passlib",
    password: "password",
    hash: "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  },
  {
    name: "bcrypt of PHP",
    password: "rasmuslerdorf",
    hash: "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq",
  },
  {
    name: "bcrypt of libxcrypt, with umlauts",
    password: "Gr\u00fc\u00dfe-2026",
    hash: "$2b$05$abcdefghijklmnopqrstuuoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Va",
  },
  {
    name: "older bcrypt",
    password: "Gr\u00fc\u00dfe-2026",
    hash: "$2a$05$abcdefghijklmnopqrstuuoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Va",
  },
  {
    name: "argon2i of passlib",
    password: "password",
    hash: "$argon2i$v=19$m=512,t=2,p=2$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A",
  },
  {
    name: "argon2i of PHP",
    password: "rasmuslerdorf",
    hash: "$argon2i$v=19$m=1024,t=2,p=2$YzJBSzV4TUhkMzc3d3laeg$zqU/1IN0/AogfP4cmSJI1vc8lpXRW9/S0sYY2i2jHT0",
  },
] as const;

/** Hashes that earlier versions imported although no password matches them. The library refuses the first three. */
export const UNUSABLE_HASHES = [
  "$scrypt$ln=1,r=999,p=16$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  "$scrypt$ln=0,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  "$scrypt$ln=17,r=1,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  "$scrypt$ln=14,r=8,p=0$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  "$2b$03$abcdefghijklmnopqrstuuoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Va",
  "$2b$05$abcdefghijklmnopqrstuvoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Va",
  "$2b$05$abcdefghijklmnopqrstuuoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Vb",
  "$argon2id$v=19$m=64,t=1,p=1,keyid=aaaa$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A",
] as const;
