// Writes parts to a compressed file.
import { createWriteStream, rmSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { removeStaleDrafts } from '../process/drafts.ts'

/** The file appears whole, readable only by its owner. Returns its size in bytes. */
export async function writeParts(file: string, parts: AsyncIterable<string | Buffer>): Promise<number> {
  const drafts = `${path.resolve(file)}.draft-`
  await removeStaleDrafts(drafts).catch((cause: Error) => {
    throw new Error(`The folder ${path.dirname(drafts)} does not exist`, { cause })
  })
  const draft = `${drafts}${process.pid}`
  const clear = () => rmSync(draft, { force: true })
  process.once('exit', clear)
  try {
    const output = createWriteStream(draft, { mode: 0o600, flush: true })
    await pipeline(parts, createZstdCompress(fast), output).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOSPC') throw cause
      throw new Error(`The disk of ${path.dirname(drafts)} is full. Nothing was written to ${file}`, { cause })
    })
    await rename(draft, file)
    return (await stat(file)).size
  } finally {
    clear()
    process.off('exit', clear)
  }
}

// Takes a fifth of the CPU time of gzip level 6, and is smaller: the running server needs its cores.
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } }
