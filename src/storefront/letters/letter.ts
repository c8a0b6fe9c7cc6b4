// The content of a letter. It is declared once; html.ts and plain.ts render the same.
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

/** Only our own media: opening a letter fetches nothing else. */
export type Image = { url: string; width: number; height: number }

export type LetterSender = {
  name: string
  /** The address of the shop or site. */
  url: string
  logo?: Image | null
  /** The colour of buttons by day and by night; null: the usual one. */
  accent?: [light: string, dark: string] | null
  /** The merchant and their contact details, line by line. */
  imprint?: string[]
}

export type LetterContent = { language: Language; subject: string; sender: LetterSender; blocks: Block[] }
