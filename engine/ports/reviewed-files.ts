/** Files that a review reads and writes back: the text as an edit sees it, whatever its encoding. */

/** `path` is canonical; `hash` is the sha256 of the bytes. */
export type ReviewedFile = { path: string; text: string; hash: string }

export interface ReviewedFiles {
  /**
   * The file that a diff names, relative to `cwd` or absolute; null when there is none. Throws ToolFailure when it is no
   * text, or when the name leads somewhere else than it says.
   */
  read(name: string, cwd: string): Promise<ReviewedFile | null>
  /** Bytes as the text that an edit sees in them; null when they are none. */
  decode(bytes: Uint8Array): Promise<string | null>
  /**
   * Puts `text` in the place of the version with the hash `expected` (null: where no file is), in its encoding; null takes
   * the file away. Resolves with the new hash. Throws ToolFailure, and leaves the file, when it is another version by now.
   */
  write(name: string, cwd: string, text: string | null, expected: string | null): Promise<{ hash: string | null }>
}
