// What a letter is made of. It is declared once; html.ts and plain.ts show the same.
import type { Language } from '../kit/values/language.ts'

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'soft'; text: string }
  | { kind: 'button'; text: string; url: string }
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'bill'; title: string; lines: Line[]; sums: Sum[] }

/** A name and what stands behind it, perhaps in several lines. */
type Fact = { name: string; value: string }
type Line = { name: string; detail: string; amount: string }
export type Sum = { name: string; amount: string; isTotal?: boolean }

export type Letter = {
  language: Language
  subject: string
  /** Whose letter it is, and where they are at home. */
  sender: { name: string; url: string }
  blocks: Block[]
}
