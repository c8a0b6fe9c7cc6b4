// What a letter is made of. It is declared once; html.ts and plain.ts show the same.
import type { Language } from '../../kit/values/language.ts'

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'soft'; text: string }
  | { kind: 'button'; text: string; url: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'bill'; title: string; lines: BillLine[]; sums: BillSum[] }
  /** Shows what other blocks say. */
  | { kind: 'picture'; picture: Image; alt: string }

/** A name and what stands behind it, perhaps in several lines. */
type Fact = { name: string; value: string }
type BillLine = { name: string; detail: string; amount: string }
export type BillSum = { name: string; amount: string; isTotal?: boolean }

/** Of our own media: nothing else is fetched by who opens a letter. */
export type Image = { url: string; width: number; height: number }

export type LetterSender = {
  name: string
  /** Where they are at home. */
  url: string
  logo?: Image | null
  /** Of buttons, by day and by night; null: the usual one. */
  accent?: [light: string, dark: string] | null
  /** Who is behind the shop and how they are reached, line by line. */
  imprint?: string[]
}

export type LetterContent = { language: Language; subject: string; sender: LetterSender; blocks: Block[] }
