/** Content hashes. */
export interface Digest {
  /** sha256 in hex; strings are hashed as UTF-8. Synchronous. */
  sha256(data: string | Uint8Array): string
}
