// Converts a column's text to JSON, by the kind of the column.

export function quote(value: string): string {
  return unsafe.test(value) ? JSON.stringify(value) : `"${value}"`
}

// Everything that JSON must escape: quotes, backslashes, control characters and lone surrogates.
const unsafe = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** Text without characters to escape, e.g. one of a choice. */
export function plain(value: string): string {
  return `"${value}"`
}

/** Numbers and JSON need no conversion. */
export function verbatim(value: string): string {
  return value
}

/** `2026-11-21 10:10:29.1+00` → `2026-11-21T10:10:29.100Z`. The session's time zone is UTC. */
export function toIsoTimestamp(stamp: string): string {
  const fraction = stamp[19] === '.' ? stamp.slice(20, -3) : ''
  return `${stamp.slice(0, 10)}T${stamp.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
}
