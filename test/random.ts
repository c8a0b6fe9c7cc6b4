// Random choices that a seed repeats. The seed is fixed; SEED=random draws a new one, and SEED=7 takes that one.
import fc from 'fast-check'

const usual = 20261127

/** The seed of every random suite of this run. */
export const seed: number = process.env.SEED === 'random' ? drawSeed() : Number(process.env.SEED ?? usual)
fc.configureGlobal({ seed })

export { fc }

export function drawSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}

/** Begins a command that repeats this run. */
export function seedPrefix(of: number = seed): string {
  return of === usual ? '' : `SEED=${of} `
}

/** Numbers that the same seed repeats. */
export function randomBy(state: number) {
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! }
}
