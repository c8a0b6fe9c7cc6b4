// Where files are kept: a folder of this machine, or a bucket. Keys are paths that this service has made itself.
export type Storage = {
  kind: 'folder' | 'bucket'
  put(key: string, bytes: Uint8Array, type: string): Promise<void>
  /** null: there is none. */
  get(key: string): Promise<Buffer | null>
  /** Those of one folder; that there is none is no failure. */
  remove(keys: readonly string[]): Promise<void>
  /** What processes that were killed have left of files they were writing. */
  removeDrafts(olderThanMs: number): Promise<void>
  /** Writes a little and removes it. Fails, with the reason as its cause, where no file could be written. */
  tryToWrite(): Promise<void>
}
