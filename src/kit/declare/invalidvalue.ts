// The result of reading an invalid value, and the list that collects the faults of a whole body.
import { invalid } from '../values/errors.ts'
import { fault, type Fault, type Sentence, type Filling } from '../values/faults.ts'

/** Each fault is at its path in the value, '' being the value itself. Without faults: they are reported already. */
export class InvalidValue {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    this.faults = faults
  }
}

export function invalidValue<S extends Sentence>(sentence: S, ...filling: Filling<S>): InvalidValue {
  return new InvalidValue([fault('', sentence, ...filling)])
}

/** The paths with a fault: `at` this path itself, or `has` one there or anywhere below. */
export type FaultPaths = { at(path: string): boolean; has(path: string): boolean }

/** The longest path in a response: a name of a MiB is not sent back a hundred times. */
export const maxPathLength = 255
const maxFaults = 1000

/**
 * Faults in the order in which they are found; the first fault of a field stands for all of them. The thousandth ends
 * the search: `add` throws them all.
 */
export class FaultList implements FaultPaths {
  readonly #byField = new Map<string, Fault>()
  readonly #above = new Set<string>()

  get list(): Fault[] {
    return [...this.#byField.values()]
  }

  get none(): boolean {
    return this.#byField.size === 0
  }

  at(path: string): boolean {
    return this.#byField.has(path)
  }

  has(path: string): boolean {
    return this.#byField.has(path) || this.#above.has(path)
  }

  add(fault: Fault): void {
    const field = shortenPath(fault.field)
    if (this.#byField.has(field)) return
    this.#byField.set(field, { ...fault, field })
    if (this.#byField.size === maxFaults) throw invalid(...this.list)
    for (let dot = field.lastIndexOf('.'); dot > 0; dot = field.lastIndexOf('.', dot - 1)) {
      this.#above.add(field.slice(0, dot))
    }
  }
}

function shortenPath(path: string): string {
  return path.length > maxPathLength ? `${path.slice(0, maxPathLength - 1).toWellFormed()}…` : path
}
