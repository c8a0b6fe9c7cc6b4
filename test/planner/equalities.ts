/** Columns that are equal to each other. */
export class Equalities {
  readonly #parents = new Map<string, string>()

  add(one: string, other: string): void {
    this.#parents.set(this.rootOf(one), this.rootOf(other))
  }

  /** The same for all that are equal. */
  rootOf(key: string): string {
    const parent = this.#parents.get(key)
    return parent === undefined || parent === key ? key : this.rootOf(parent)
  }
}

/** Columns that are known before the statement runs, because they are equal to a constant. */
export class Constants {
  readonly equalities = new Equalities()
  readonly #known = new Set<string>()
  /** Of an outer join: once the one is known, so is the other. */
  readonly #implied: [from: string, to: string][] = []

  add(key: string): void {
    this.#known.add(key)
  }

  imply(from: string, to: string): void {
    this.#implied.push([from, to])
  }

  /** Answers the implications of what is not known. */
  settle(): [from: string, to: string][] {
    for (let size = -1; size !== this.#known.size;) {
      size = this.#known.size
      for (const [from, to] of this.#implied) if (this.has(from)) this.#known.add(to)
    }
    return this.#implied.filter(([from]) => !this.has(from))
  }

  has(key: string): boolean {
    const root = this.equalities.rootOf(key)
    return this.#known.values().some((known) => this.equalities.rootOf(known) === root)
  }
}
