// The format inside a backup: lines of JSON. A line that names a table is followed by its rows in PostgreSQL's copy
// format, which end with a line `\.` as in a dump. No row is such a line, as the format escapes backslashes. A line
// that names a file is followed by its bytes.
export type BackupPart = {
  line: Record<string, unknown>
  rows: AsyncIterable<Buffer> | null
  bytes: AsyncIterable<Buffer> | null
}

export const endOfRows = '\\.\n'
const end = Buffer.from(`\n${endOfRows}`)

/** Reads part by part; the rows or bytes of one must be read before the next. */
export async function* readParts(source: AsyncIterable<Buffer>): AsyncGenerator<BackupPart> {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (!done) rest = rest.length > 0 ? Buffer.concat([rest, value]) : value
    return !done
  }
  // `rest` begins with the newline of the part's line, so that an empty table ends like any other.
  async function* rows(): AsyncGenerator<Buffer> {
    let skip = 1
    for (;;) {
      const at = rest.indexOf(end)
      // A possible start of the end marker is kept for the next chunk.
      const upTo = at >= 0 ? at + 1 : Math.max(rest.length - end.length + 1, 0)
      if (upTo > skip) yield rest.subarray(skip, upTo)
      if (upTo > 0) skip = 0
      rest = rest.subarray(at >= 0 ? at + end.length : upTo)
      if (at >= 0) return
      if (!(await more())) throw new Error('it ends in the middle of a table')
    }
  }

  async function* bytes(count: number): AsyncGenerator<Buffer> {
    while (count > 0) {
      if (rest.length === 0 && !(await more())) throw new Error('it ends in the middle of a file')
      const chunk = rest.subarray(0, count)
      rest = rest.subarray(chunk.length)
      count -= chunk.length
      yield chunk
    }
  }

  for (let reason = notOurs; ; reason = 'it is damaged') {
    let lineEnd = rest.indexOf('\n')
    while (lineEnd < 0 && rest.length <= maxLineBytes && (await more())) lineEnd = rest.indexOf('\n')
    if (lineEnd < 0 && rest.length === 0) return
    if ((lineEnd < 0 ? rest.length : lineEnd) > maxLineBytes) throw new Error(reason)
    const line = parse(lineEnd < 0 ? rest : rest.subarray(0, lineEnd), reason)
    const hasRows = 'table' in line
    rest = lineEnd < 0 ? Buffer.alloc(0) : rest.subarray(hasRows ? lineEnd : lineEnd + 1)
    yield { line, rows: hasRows ? rows() : null, bytes: 'file' in line ? bytes(Number(line.bytes)) : null }
  }
}

function parse(line: Buffer, reason: string): Record<string, unknown> {
  try {
    return JSON.parse(line.toString())
  } catch (cause) {
    throw new Error(reason, { cause })
  }
}

const notOurs = 'it is not a Stoa backup'
// The limit for lines of JSON: a table's name and columns, or the counts. It stops a file without line ends.
const maxLineBytes = 1024 * 1024
