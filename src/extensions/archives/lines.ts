// Rows in PostgreSQL's copy format: each is a line, as the format escapes line breaks.

/** Chunks of whole lines. */
export async function* wholeLines(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let waiting = 0
  for await (const chunk of rows) {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)])
      rest = []
      waiting = 0
    }
    rest.push(chunk.subarray(end))
    waiting += chunk.length - end
    if (waiting > maxLineBytes) throw new Error('it is damaged: a row is too long')
  }
  if (waiting > 0) throw new Error('it is damaged: a row is incomplete')
}

// The largest rows hold the body of a request, of 1 MiB, or a row of an import, of a million characters, and more.
const maxLineBytes = 16 * 1024 * 1024

/** The lines of a chunk, without their ends. */
export function* linesIn(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length;) {
    const end = chunk.indexOf('\n', at)
    yield chunk.subarray(at, end)
    at = end + 1
  }
}

export const nullCell = '\\N'

/** The value of a cell that is not null. */
export function unescapeCell(cell: string): string {
  return cell.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
