// How a column's text becomes JSON, by the kind of the column.

export function quote(value: string): string {
  return unsafe.test(value) ? JSON.stringify(value) : `"${value}"`
}

// Quotes, backslashes, control characters and halves of a pair of surrogates, told by what they are not.
const unsafe = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** Text that has nothing to escape, e.g. one of a choice. */
export function plain(value: string): string {
  return `"${value}"`
}

/** Numbers and json. */
export function verbatim(value: string): string {
  return value
}

/** `2026-11-21 10:10:29.1+00` → `2026-11-21T10:10:29.100Z`. The session's time zone is UTC. */
export function isoOf(stamp: string): string {
  const fraction = stamp[19] === '.' ? stamp.slice(20, -3) : ''
  return `${stamp.slice(0, 10)}T${stamp.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
}
