/** Files that belong to a session and not to the project: spilled outputs, pre-images. */
export interface ArtifactStore {
  /** Opens a new private file (0600) named after `name`; the path is unique and absolute. */
  create(name: string): Artifact
}

export interface Artifact {
  readonly path: string
  /** Appends; on a full disk the rest is dropped and `failed` says so. Never throws. */
  write(data: string | Uint8Array): void
  readonly failed: string | undefined
  close(): void
}
