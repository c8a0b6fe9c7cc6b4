// The text of a file, piece by piece. Each piece is a turn of the event loop, so that requests of others are answered
// while a large file is read.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { nextSlice } from '../../../kit/values/slices.ts'
import { importFaults } from './errors.ts'

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

export type FileText = {
  /** The beginning, by which the form of the file is recognized. */
  head: string
  /** The whole text. It can be read several times. */
  pieces: () => AsyncIterable<string>
}

const headBytes = 65_536
const pieceBytes = 16_384

export function openFileText(bytes: Buffer, requested: Encoding | undefined): FileText {
  const encoding = markedEncoding(bytes) ?? requested ?? 'utf-8'
  const [head] = decodePieces(bytes, encoding, headBytes)
  return {
    head: head ?? '',
    async *pieces() {
      for (const piece of decodePieces(bytes, encoding, pieceBytes)) {
        yield piece
        await nextSlice()
      }
    },
  }
}

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Buffer): Encoding | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8'
  if (bytes.readUInt16BE(0) === 0xfffe) return 'utf-16le'
  return bytes.readUInt16BE(0) === 0xfeff ? 'utf-16be' : null
}

function* decodePieces(bytes: Buffer, encoding: Encoding, size: number): Generator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const place = { line: 1, column: 1 }
  for (let from = 0; from < bytes.length; from += size) {
    const isLast = from + size >= bytes.length
    let text: string
    try {
      text = decoder.decode(bytes.subarray(from, from + size), { stream: !isLast })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      move(place, validBeginning(bytes, from, encoding))
      throw invalid(fault('file', importFaults.not_utf8, place))
    }
    if (text.includes('\0')) throw invalid(fault('file', importFaults.is_binary))
    // The decoder keeps half a character for the next piece.
    yield text
    move(place, text)
  }
}

function move(place: { line: number; column: number }, text: string): void {
  let begin = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', begin)) {
    place.line++
    begin = at + 1
  }
  place.column = begin === 0 ? place.column + text.length : text.length - begin + 1
}

/** The text of a piece before its first fault. */
function validBeginning(bytes: Buffer, from: number, encoding: Encoding): string {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let text = ''
  try {
    for (let at = beginOfCharacter(bytes, from, encoding); at < bytes.length; at++) {
      text += decoder.decode(bytes.subarray(at, at + 1), { stream: true })
    }
  } catch {
    // The fault is here.
  }
  return text
}

/** A character of UTF-8 may have begun in the piece before. */
function beginOfCharacter(bytes: Buffer, from: number, encoding: Encoding): number {
  if (encoding !== 'utf-8') return from
  let at = from
  while (at > 0 && from - at < 3 && (bytes[at]! & 0xc0) === 0x80) at--
  return bytes[at]! < 0x80 ? from : at
}
