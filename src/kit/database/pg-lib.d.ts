declare module 'pg/lib/utils.js' {
  /** Writes a JavaScript value as a parameter's text, as pg does: arrays, objects, buffers. */
  export function prepareValue(value: unknown): string | Buffer | null
}
