declare module 'pg/lib/utils.js' {
  /** How pg writes a JavaScript value as a parameter's text: arrays, objects, buffers. */
  export function prepareValue(value: unknown): string | Buffer | null
}
