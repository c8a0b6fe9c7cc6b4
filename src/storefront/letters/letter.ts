// The content of an email, declared once; html.ts and plain.ts render the same.
import type { Language } from '../../kit/values/language.ts'

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'soft'; text: string }
  | { kind: 'button'; text: string; url: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'bill'; title: string; lines: BillLine[]; sums: BillSum[] }
  /** Only illustrates other blocks, so plain text omits it. */
  | { kind: 'picture'; picture: Image; alt: string }

/** A name and its value, which may have several lines. */
type Fact = { name: string; value: string }
type BillLine = { name: string; detail: string; amount: string }
export type BillSum = { name: string; amount: string; isTotal?: boolean }

/** An image of our own media: opening an email loads nothing else. */
export type Image = { url: string; width: number; height: number }

export type LetterSender = {
  name: string
  /** The URL of the shop or site. */
  url: string
  logo?: Image | null
  /** The color of buttons by day and by night; null for the default. */
  accent?: [light: string, dark: string] | null
  /** The merchant and their contact details, line by line. */
  imprint?: string[]
}

export type LetterContent = { language: Language; subject: string; sender: LetterSender; blocks: Block[] }
